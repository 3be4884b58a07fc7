import { expect, test } from "vitest";
import { laneShare, rotationTurnMs } from "./pace.ts";

const sharesAt = (max: number, lanes: number, nowMs: number): readonly number[] =>
  Array.from({ length: lanes }, (_, lane) => laneShare(max, lanes, lane, nowMs).debits);

test("the shares of all lanes add up to the bank's limit, the first lanes having one more", () => {
  expect(sharesAt(256, 12, 0)).toEqual([22, 22, 22, 22, 21, 21, 21, 21, 21, 21, 21, 21]);
  for (const max of [1, 5, 11, 12, 13, 256]) expect(sharesAt(max, 12, 1_234_567).reduce((sum, share) => sum + share, 0)).toBe(max);
});

test("with fewer debits allowed than lanes every lane gets its turn, and knows when the turns change", () => {
  const turns = new Set<number>();
  for (let turn = 0; turn < 12; turn += 1) {
    for (const [lane, share] of sharesAt(5, 12, turn * rotationTurnMs + 400).entries()) if (share === 1) turns.add(lane);
  }
  expect(turns.size).toBe(12);
  expect(laneShare(5, 12, 3, 7 * rotationTurnMs + 400).changesInMs).toBe(600);
  expect(laneShare(256, 12, 3, 0).changesInMs).toBeNull();
});

test("before agreed time is known there is no turn", () => {
  expect(laneShare(5, 12, 0, null).debits).toBe(0);
  expect(laneShare(0, 12, 0, 0).debits).toBe(0);
});
