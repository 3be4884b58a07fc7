// The topic in which a dispatcher's position counts.

import { topics } from "@sluice/contracts";
import { expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

it("I1: a dispatcher does not go on at its position in another topic, and readiness says why", { timeout: 30_000 }, async () => {
  const environment = createDispatcherEnvironment();
  const { partitions } = environment.store;
  const held = await environment.during(partitions.takeOver("dispatcher", 0));
  const lost = { clusterId: "a-cluster-that-was-lost", topicId: topics.dispatch };
  await environment.during(partitions.noteLog("dispatcher", 0, held.epoch, lost));
  await environment.during(partitions.write("dispatcher", 0, held, 1n));
  await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
  const { running } = await environment.start();
  await environment.time.advance(10_000);
  const { isReady, reasons } = running.readiness();
  expect(isReady).toBe(false);
  expect(reasons.join()).toMatch(/messaging\.another-log: the position counts in .* of cluster a-cluster-that-was-lost;/);
  expect([environment.received, environment.failures]).toEqual([[], []]);
  expect((await environment.during(partitions.list("dispatcher")))[0]).toMatchObject({ position: 1n, log: lost });
});
