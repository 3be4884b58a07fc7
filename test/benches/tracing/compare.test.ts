import { drawUetr, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { compareTurns } from "./compare.ts";
import { isTraced, placeInHalf, tracedHalf } from "./halves.ts";

test("what tracing costs is compared within the same processes, and against the spread of turns without it", () => {
  const turns = [
    { processes: 1, variant: "off", micros: 1_000 },
    { processes: 1, variant: "off", micros: 1_040 },
    { processes: 2, variant: "none", micros: 1_020 },
    { processes: 2, variant: "hundredth", micros: 1_030.2 },
    { processes: 2, variant: "all", micros: 1_122 },
    { processes: 3, variant: "all", micros: 2_100 },
    { processes: 3, variant: "none", micros: 2_000 },
  ] as const;
  expect(compareTurns(turns)).toEqual({
    cost: {
      off: { median: 1_020, least: 1_000, most: 1_040 },
      none: { median: 1_510, least: 1_020, most: 2_000 },
      hundredth: { median: 1_030, least: 1_030, most: 1_030 },
      all: { median: 1_611, least: 1_122, most: 2_100 },
    },
    overNone: { hundredth: { median: 1, least: 1, most: 1 }, all: { median: 7.5, least: 5, most: 10 } },
    noneOverOff: 48,
    noisePercent: 3.9,
  });
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
