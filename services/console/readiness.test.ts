import { expect, test } from "vitest";
import { openConsoleEnvironment } from "./console.fixture.ts";

/** As Kubernetes asks. */
const askEveryMs = 2_000;
const asked = 6;

test("a console whose store is away is not ready, and says so, until the store answers again", async () => {
  const { desk, environment, time } = await openConsoleEnvironment();
  async function ask() {
    for (let count = 0; count < asked; count += 1) {
      desk.readiness();
      await time.advance(askEveryMs);
    }
    return desk.readiness();
  }
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
  environment.fault = "down";
  expect(await ask()).toMatchObject({ isReady: false, reasons: [expect.stringMatching(/^store: /)] });
  environment.fault = "none";
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
});
