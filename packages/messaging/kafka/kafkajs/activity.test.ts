import consumerGroup, { type ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
import { expect, test } from "vitest";
import { isAtRest, noteAnnouncement, noteFetch, noteJoin, spaceFetches, untilNextFetchMs } from "./activity.ts";

const nodeId = "1";

function member(spacingMs: number | null = null): ConsumerGroup {
  const group: ConsumerGroup = Object.assign(Object.create(consumerGroup.prototype), { groupId: "g" });
  const announcement = {};
  noteAnnouncement(announcement, group);
  if (spacingMs !== null) spaceFetches(announcement, spacingMs);
  return group;
}

test("a member rests once nothing has come for five seconds, until a record comes or its group joins again", () => {
  const group = member();
  noteJoin(group, 0);
  noteFetch(group, { nodeId, records: 0, sentAtMs: 4_000 }, 4_250);
  expect([isAtRest(group, 4_999), isAtRest(group, 5_000)]).toEqual([false, true]);
  noteFetch(group, { nodeId, records: 1, sentAtMs: 5_000 }, 6_000);
  expect([isAtRest(group, 6_000), isAtRest(group, 10_999), isAtRest(group, 11_000)]).toEqual([false, false, true]);
  noteJoin(group, 12_000);
  expect(isAtRest(group, 12_500)).toBe(false);
});

const waitsAt = (group: ConsumerGroup, node: string, ...nowMs: readonly number[]) => nowMs.map((now) => untilNextFetchMs(group, node, now));

test("after few records the next fetch waits, and the first one after a pause does not", () => {
  const group = member(20);
  expect(waitsAt(group, nodeId, 0)).toEqual([0]);
  noteFetch(group, { nodeId, records: 3, sentAtMs: 100 }, 105);
  expect(waitsAt(group, nodeId, 105, 119, 120, 500)).toEqual([15, 1, 0, 0]);
  noteFetch(group, { nodeId, records: 0, sentAtMs: 120 }, 370);
  expect(waitsAt(group, nodeId, 371)).toEqual([0]);
});

test("after many records the next fetch waits for nothing, nor does one of a member without a spacing", () => {
  const [full, plain] = [member(20), member()];
  noteFetch(full, { nodeId, records: 100, sentAtMs: 100 }, 101);
  noteFetch(plain, { nodeId, records: 1, sentAtMs: 100 }, 101);
  expect([untilNextFetchMs(full, nodeId, 101), untilNextFetchMs(plain, nodeId, 101)]).toEqual([0, 0]);
});

test("what one broker has brought delays no fetch from another, and what that one brings does not end the wait", () => {
  const group = member(20);
  noteFetch(group, { nodeId: "1", records: 3, sentAtMs: 100 }, 101);
  noteFetch(group, { nodeId: "2", records: 0, sentAtMs: 0 }, 102);
  expect([untilNextFetchMs(group, "1", 103), untilNextFetchMs(group, "2", 103)]).toEqual([17, 0]);
});

test("two members of one group in one process are each spaced as they said", () => {
  const [slow, quick] = [member(20), member(5)];
  for (const group of [slow, quick]) noteFetch(group, { nodeId, records: 1, sentAtMs: 100 }, 100);
  expect([untilNextFetchMs(slow, nodeId, 100), untilNextFetchMs(quick, nodeId, 100)]).toEqual([20, 5]);
});
