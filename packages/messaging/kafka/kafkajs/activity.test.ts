import consumerGroup, { type ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
import { expect, test } from "vitest";
import { isAtRest, noteFetch, noteJoin, spaceFetches, untilNextFetchMs } from "./activity.ts";

const member = (groupId: string): ConsumerGroup => Object.assign(Object.create(consumerGroup.prototype), { groupId });

test("a member rests once nothing has come for five seconds, until a record comes or its group joins again", () => {
  const group = member("rests");
  noteJoin(group, 0);
  noteFetch(group, 0, 4_000, 4_250);
  expect([isAtRest(group, 4_999), isAtRest(group, 5_000)]).toEqual([false, true]);
  noteFetch(group, 1, 5_000, 6_000);
  expect([isAtRest(group, 6_000), isAtRest(group, 10_999), isAtRest(group, 11_000)]).toEqual([false, false, true]);
  noteJoin(group, 12_000);
  expect(isAtRest(group, 12_500)).toBe(false);
});

test("after few records the next fetch waits, and the first one after a pause does not", () => {
  spaceFetches("spaced", 20);
  const group = member("spaced");
  expect(untilNextFetchMs(group, 0)).toBe(0);
  noteFetch(group, 3, 100, 105);
  expect([untilNextFetchMs(group, 105), untilNextFetchMs(group, 119), untilNextFetchMs(group, 120), untilNextFetchMs(group, 500)]).toEqual([
    15, 1, 0, 0,
  ]);
  noteFetch(group, 0, 120, 370);
  expect(untilNextFetchMs(group, 371)).toBe(0);
});

test("after many records the next fetch waits for nothing, nor does one of a group without a spacing", () => {
  spaceFetches("full", 20);
  const [full, plain] = [member("full"), member("plain")];
  noteFetch(full, 100, 100, 101);
  noteFetch(plain, 1, 100, 101);
  expect([untilNextFetchMs(full, 101), untilNextFetchMs(plain, 101)]).toEqual([0, 0]);
});
