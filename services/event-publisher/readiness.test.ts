import { expect, it } from "vitest";
import { buildStages, createPublisherEnvironment } from "./event-publisher.fixture.ts";

/** Longer than two looks at the store. */
const lookedMs = 12_000;

it("an event publisher whose store is away is not ready, and says so, although nothing waits for delivery", async () => {
  const environment = createPublisherEnvironment();
  const { running } = await environment.start();
  await environment.publish(...buildStages(1, 1));
  await environment.until(() => environment.receipts().length === 1);
  // Its position is written, so that nothing is left to do.
  await environment.time.advance(lookedMs);
  environment.hooks.store.fault = () => "down";
  await environment.time.advance(lookedMs);
  const { isReady, reasons } = running.readiness();
  expect([isReady, reasons]).toEqual([false, [expect.stringContaining("the store: ")]]);
  environment.hooks.store.fault = () => "none";
  await environment.time.advance(lookedMs);
  expect(running.readiness().isReady).toBe(true);
});
