import { drawUetr, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { chanceOfLuck, compareTurns, type Turn, turnsOfRound } from "./compare.ts";
import { isTraced, placeInHalf, tracedHalf } from "./halves.ts";

const round = (number: number, [none, hundredth, all, hundredthAgain, noneAgain]: readonly number[]): readonly Turn[] =>
  [none, hundredth, all, hundredthAgain, noneAgain].map((micros = 0, index) => ({
    round: number,
    variant: turnsOfRound[index] ?? "none",
    micros,
  }));

test("what tracing costs is compared within a round, and a steady drift is taken out of it", () => {
  const off = [1_000, 1_040].map((micros) => ({ round: 0, variant: "off" as const, micros }));
  // Everything becomes 10 µs dearer from turn to turn; a hundredth costs nothing, each 5 %.
  const drifting = round(1, [1_000, 1_010, 1_071, 1_030, 1_040]);
  const still = round(2, [2_000, 2_020, 2_200, 2_020, 2_000]);
  const found = compareTurns([...off, ...drifting, ...still]);
  expect(found.rounds).toEqual({ hundredth: [0, 1], all: [5, 10] });
  expect(found.overNone).toEqual({ hundredth: { median: 0.5, least: 0, most: 1 }, all: { median: 7.5, least: 5, most: 10 } });
  expect([found.noise, found.offApart]).toEqual([{ median: 2, least: 0, most: 4 }, 3.9]);
  expect(found.cost.off).toEqual({ median: 1_020, least: 1_000, most: 1_040 });
});

test("a bound is shown only where every round is below it, and by as many rounds as leave no room for luck", () => {
  expect(chanceOfLuck([0.4, -1, 2.9, 1, 0], 3)).toBe(1 / 32);
  expect(chanceOfLuck([0.4, 3.1, 2.9], 3)).toBeNull();
  expect(chanceOfLuck([], 3)).toBeNull();
});

test("a share of all debits is spread evenly, and their UETRs are in the half that is traced", () => {
  const random = seededRandom(1);
  for (const share of [0, 0.01, 1]) {
    const uetrs = Array.from({ length: 1_000 }, (_, number) => placeInHalf(drawUetr(random), isTraced(number, share)));
    const traced = uetrs.filter((uetr) => Number.parseInt(uetr.slice(0, 8), 16) < tracedHalf * 16 ** 8);
    expect(traced).toHaveLength(1_000 * share);
    expect(new Set(uetrs).size).toBe(1_000);
  }
});
