import { expect, test } from "vitest";
import { GivenUpMessages, givenUpMax, stoppedKeptMs, stoppedMax, type StoppedMessage } from "./given-up-messages.ts";

const stopped = (number: number, atMs = 0): StoppedMessage => ({ id: `m${number}`, receiverId: "first", sequence: BigInt(number), atMs });

test("a stopped message leaves the store when the position has passed its stop and its time is over, and not before", () => {
  const givenUp = new GivenUpMessages();
  givenUp.addStopped(stopped(5));
  expect(givenUp.takeOld(5n, stoppedKeptMs)).toEqual([]);
  expect(givenUp.takeOld(6n, stoppedKeptMs - 1)).toEqual([]);
  expect(givenUp.takeOld(6n, stoppedKeptMs)).toEqual([stopped(5)]);
  expect(givenUp.takeOld(6n, stoppedKeptMs)).toEqual([]);
  expect(givenUp.has("m5")).toBe(true);
});

test("I15: the number of stopped messages is bounded, the oldest go first; those that the position has not passed stay all the same", () => {
  const givenUp = new GivenUpMessages();
  for (let number = 0; number < stoppedMax + 10; number += 1) givenUp.addStopped(stopped(number));
  expect(givenUp.takeOld(4n, 0).map(({ id }) => id)).toEqual(["m0", "m1", "m2", "m3"]);
  expect(givenUp.takeOld(1_000_000n, 0)).toHaveLength(6);
  for (let number = 0; number <= givenUpMax; number += 1) givenUp.add(`x${number}`);
  expect(["x0", "x1", `x${givenUpMax}`].map((id) => givenUp.has(id))).toEqual([false, true, true]);
});

test("a redriven message is no longer given up", () => {
  const givenUp = new GivenUpMessages();
  givenUp.add("a");
  givenUp.remove("a");
  expect(givenUp.has("a")).toBe(false);
});
