import { expect, test } from "vitest";
import { GivenUp, givenUpMax, stoppedKeptMs, stoppedMax } from "./given-up.ts";

const stopped = (number: number, atMs = 0) => ({ id: `m${number}`, bank: "first", sequence: BigInt(number), atMs });

test("a stopped message leaves the store when the position has passed its stop and its time is over, and not before", () => {
  const givenUp = new GivenUp();
  givenUp.stopped(stopped(5));
  expect(givenUp.takeOld(5n, stoppedKeptMs)).toEqual([]);
  expect(givenUp.takeOld(6n, stoppedKeptMs - 1)).toEqual([]);
  expect(givenUp.takeOld(6n, stoppedKeptMs)).toEqual([stopped(5)]);
  expect(givenUp.takeOld(6n, stoppedKeptMs)).toEqual([]);
  expect(givenUp.has("m5")).toBe(true);
});

test("I15: at most so many are kept, the oldest go first; those that the position has not passed stay all the same", () => {
  const givenUp = new GivenUp();
  for (let number = 0; number < stoppedMax + 10; number += 1) givenUp.stopped(stopped(number));
  expect(givenUp.takeOld(4n, 0).map(({ id }) => id)).toEqual(["m0", "m1", "m2", "m3"]);
  expect(givenUp.takeOld(1_000_000n, 0)).toHaveLength(6);
  for (let number = 0; number <= givenUpMax; number += 1) givenUp.add(`x${number}`);
  expect(["x0", "x1", `x${givenUpMax}`].map((id) => givenUp.has(id))).toEqual([false, true, true]);
});

test("what is tried again is not given up any more", () => {
  const givenUp = new GivenUp();
  givenUp.add("a");
  givenUp.remove("a");
  expect(givenUp.has("a")).toBe(false);
});
