import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createPublisherEnvironment, eventUetr } from "./event-publisher.fixture.ts";

test("I14: a bank that is added gets its events without a restart, one that drops its address gets none, and others go on", async () => {
  const [first, silent] = [sampleBank({ id: "first" }), sampleBank({ id: "silent", branch: "250656", eventsUrl: null })];
  const environment = createPublisherEnvironment({ banks: [first, silent] });
  const { running } = await environment.start();
  const added = sampleBank({ id: "added", branch: "250657" });
  const posted = (): Set<string> => new Set(environment.received.map(({ receiverId }) => receiverId));
  await environment.publish({ uetr: eventUetr(1) }, { uetr: eventUetr(2), bank: "silent" });
  await environment.until(() => environment.received.length === 1, 5_000);
  // The event of the bank without an address is read, too, before it has one.
  await environment.time.advance(1_000);
  running.replaceConfiguration(environment.withReceivers({ banks: [first, { ...silent, eventsUrl: "http://silent.invalid" }, added] }));
  await environment.publish({ uetr: eventUetr(3), bank: "added" }, { uetr: eventUetr(4), bank: "silent" }, { uetr: eventUetr(5) });
  await environment.until(() => environment.received.length === 4, 5_000);
  expect(posted()).toEqual(new Set(["first", "added", "silent"]));
  running.replaceConfiguration(environment.withReceivers({ banks: [first, silent, { ...added, eventsUrl: null }] }));
  await environment.publish({ uetr: eventUetr(6), bank: "added" }, { uetr: eventUetr(7) });
  await environment.until(() => environment.received.length === 5, 5_000);
  await environment.time.advance(5_000);
  expect(environment.received.filter(({ receiverId }) => receiverId === "added")).toHaveLength(1);
});
