import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { openConsoleEnvironment } from "./console.fixture.ts";

/** As Kubernetes asks. */
const askEveryMs = 2_000;
const asked = 6;

async function setUp() {
  const { desk, environment, messaging, time } = await openConsoleEnvironment();
  async function ask() {
    for (let count = 0; count < asked; count += 1) {
      desk.readiness();
      await time.advance(askEveryMs);
    }
    return desk.readiness();
  }
  return { ask, environment, messaging };
}

test("a console whose store is away is not ready, and says so, until the store answers again", async () => {
  const { ask, environment } = await setUp();
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
  environment.fault = "down";
  expect(await ask()).toMatchObject({ isReady: false, reasons: [expect.stringMatching(/^store: /)] });
  environment.fault = "none";
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
});

test("a console whose broker goes away stays ready for what the store answers, and says so, until the broker is back", async () => {
  const { ask, messaging } = await setUp();
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
  messaging.setBroker(false);
  expect(await ask()).toEqual({ isReady: true, reasons: ["journal: no partition answers"] });
  messaging.setBroker(true);
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
});

test("a console is ready while partitions of the journal answer, and names those that do not [D10.77]", async () => {
  const { ask, messaging } = await setUp();
  messaging.setLeader({ topic: topics.journal, partition: 1 }, false);
  expect(await ask()).toEqual({ isReady: true, reasons: ["journal: partition 1 does not answer"] });
  for (const partition of [0, 2]) messaging.setLeader({ topic: topics.journal, partition }, false);
  expect(await ask()).toEqual({ isReady: true, reasons: ["journal: no partition answers"] });
  for (const partition of [0, 1, 2]) messaging.setLeader({ topic: topics.journal, partition }, true);
  expect(await ask()).toEqual({ isReady: true, reasons: [] });
});
