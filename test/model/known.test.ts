// Sequences that once broke a law, as short as they got: what was wrong then stays right.

import { describe, expect, it } from "vitest";
import { playAll } from "./play.ts";
import type { Settings, Step } from "./steps.ts";

const plain: Settings = { seed: 0, lanes: 1, isSmall: false };
const advance = (ms: number): Step => ({ do: "advance", ms });
const dispatch = (bank: number, key: number, ends: "day" | "stops" | "deadline" = "day", inMs = 3_000): Step => {
  return { do: "dispatch", bank, key, count: 1, ends, inMs };
};

const known: readonly (readonly [string, Settings, readonly Step[]])[] = [
  [
    "I8: a first attempt that waited for a connection does not begin after its day's close",
    plain,
    [dispatch(0, 0), { do: "kill", process: 0 }, dispatch(0, 1), dispatch(0, 2), { do: "plan", inMs: 1_000 }, advance(3)],
  ],
  [
    "I7: a close that comes nearer lets go what waits behind a message that is over",
    plain,
    [{ do: "outage", bank: 2, how: "404" }, { do: "plan", inMs: 1_000 }, dispatch(2, 1, "stops", 600_000), advance(70_000)],
  ],
  [
    "I12: a probe whose lane is dealt anew counts as one: the next comes 10 s after it",
    plain,
    [{ do: "outage", bank: 2, how: "silent" }, advance(70_000), { do: "start" }, advance(30_000)],
  ],
  [
    "evidence: a message that a zombie tried, and that expired since, is not said to have been taken for sure by nobody",
    plain,
    [advance(12_000), dispatch(0, 0, "deadline"), { do: "freeze", process: 0, ms: 60_000 }, { do: "stop", message: 0 }, advance(3)],
  ],
  [
    "I4: a zombie that is reached again does nothing before it hears that its lane is gone",
    { ...plain, seed: 196_091 },
    [dispatch(0, 0), dispatch(0, 0), { do: "rebalance" }, { do: "freeze", process: 0, ms: 60_000 }, { do: "start" }, dispatch(0, 0)],
  ],
  [
    "I1: a spill that reaches the store when its lane is lost is repeated by the next owner, and leaves nothing behind",
    plain,
    [
      { do: "answer", bank: 2, key: null, how: "503" },
      advance(12_000),
      { do: "store", trouble: "slow", share: 1, ms: 200 },
      dispatch(2, 0),
      { do: "rebalance" },
      dispatch(0, 0),
    ],
  ],
];

describe("sequences that once broke a law", () => {
  it.each(known)("%s", async (_, settings, steps) => {
    await expect(playAll(settings, steps)).resolves.toBeUndefined();
  });
});
