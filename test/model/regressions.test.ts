// Plays sequences that once broke a law, in their shortest form, so that the bugs do not return.

import { describe, expect, it } from "vitest";
import { playSteps } from "./play.ts";
import type { ModelSettings, ModelStep } from "./steps.ts";

const plain: ModelSettings = { seed: 0, partitionCount: 1, isSmall: false };
const advance = (ms: number): ModelStep => ({ do: "advance", ms });
const dispatch = (bank: number, key: number, ends: "day" | "stops" | "deadline" = "day", inMs = 3_000): ModelStep => {
  return { do: "dispatch", bank, key, count: 1, ends, inMs };
};

const regressions: readonly (readonly [string, ModelSettings, readonly ModelStep[]])[] = [
  [
    "a process that has to end while it is cut off from the log ends",
    { ...plain, seed: 52_368 },
    [
      { do: "pause", bank: 0, forMs: null },
      { do: "freeze", process: 0, ms: 60_000 },
      { do: "end", process: 0 },
    ],
  ],
  [
    "I8: a first attempt that waited for a connection does not begin after its day's close",
    plain,
    [dispatch(0, 0), { do: "kill", process: 0 }, dispatch(0, 1), dispatch(0, 2), { do: "plan", inMs: 1_000 }, advance(3)],
  ],
  [
    "I7: a close that is moved nearer releases messages that wait behind one whose attempts have ended",
    plain,
    [{ do: "outage", bank: 2, how: "404" }, { do: "plan", inMs: 1_000 }, dispatch(2, 1, "stops", 600_000), advance(70_000)],
  ],
  [
    "I12: a probe whose partition is reassigned counts as one, and the next comes 10 s after it",
    plain,
    [{ do: "outage", bank: 2, how: "silent" }, advance(70_000), { do: "start" }, advance(30_000)],
  ],
  [
    "evidence: a message that a zombie tried, and that expired since, may have been received",
    plain,
    [advance(12_000), dispatch(0, 0, "deadline"), { do: "freeze", process: 0, ms: 60_000 }, { do: "stop", message: 0 }, advance(3)],
  ],
  [
    "I4: a zombie that is reachable again does nothing before it learns that it lost its partition",
    { ...plain, seed: 196_091 },
    [dispatch(0, 0), dispatch(0, 0), { do: "rebalance" }, { do: "freeze", process: 0, ms: 60_000 }, { do: "start" }, dispatch(0, 0)],
  ],
  [
    "I4: a zombie whose assignment goes on after its session has ended takes nothing from the owner",
    { ...plain, seed: 4, partitionCount: 2 },
    [
      dispatch(0, 0),
      { do: "freeze", process: 0, ms: 60_000 },
      { do: "outage", bank: 0, how: "503" },
      advance(30_000),
      { do: "start" },
      advance(3),
    ],
  ],
  [
    "I1: a spill that reaches the store when its partition is lost is repeated by the next owner, and leaves nothing behind",
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
  [
    "I5: a write that lands behind a refusal does not bring the refused message back",
    plain,
    [
      { do: "answer", bank: 0, key: null, how: "503" },
      dispatch(0, 0),
      advance(1_500),
      { do: "store", trouble: "late", share: 1, ms: 2_000 },
      advance(1_500),
      { do: "answer", bank: 0, key: null, how: "422" },
      advance(12_000),
      advance(30_000),
      { do: "kill", process: 0 },
      advance(70_000),
    ],
  ],
  [
    "I16: an insert of its own that lands behind the removal of the row is no restored store",
    plain,
    [
      { do: "plan", inMs: 1_000 },
      advance(12_000),
      { do: "start" },
      { do: "dispatch", bank: 1, key: 0, count: 1, ends: "stops", inMs: 3_000 },
      { do: "answer", bank: 1, key: null, how: "429" },
      { do: "store", trouble: "late", share: 1, ms: 200 },
      { do: "dispatch", bank: 0, key: 0, count: 1, ends: "day", inMs: 3_000 },
      { do: "answer", bank: 0, key: null, how: "202" },
    ],
  ],
  [
    "I16: an insert of the owner before that lands behind the removal of the row is no restored store",
    plain,
    [
      advance(30_000),
      { do: "answer", bank: 1, key: null, how: "429 for 2 s" },
      { do: "store", trouble: "late", share: 1, ms: 200 },
      dispatch(1, 0),
      dispatch(0, 0),
      { do: "end", process: 0 },
      { do: "stop", message: 7 },
    ],
  ],
  [
    "I5: an insert of its own that lands behind the removal of the row does not bring the acknowledged message back",
    plain,
    [
      { do: "answer", bank: 0, key: null, how: "500" },
      { do: "store", trouble: "late", share: 0.3, ms: 200 },
      dispatch(0, 0),
      advance(400),
      { do: "answer", bank: 0, key: null, how: "202" },
      advance(400_000),
      { do: "outage", bank: 0, how: "503" },
      advance(3),
    ],
  ],
  [
    "evidence: a message whose owner died between its fact and its receipt is not tried again over a reconciled day",
    { ...plain, seed: 497_162 },
    [advance(400_000), dispatch(0, 0), dispatch(0, 1), { do: "stop", message: 0 }, { do: "kill", process: 0 }, { do: "close" }],
  ],
  [
    "I16: the answer to an update that comes behind the removal of its row is no restored store",
    plain,
    [
      { do: "end", process: 0 },
      { do: "plan", inMs: 1_000 },
      { do: "log", trouble: "refuse", share: 1, ms: 200 },
      { do: "end", process: 0 },
      advance(400_000),
      { do: "store", trouble: "ambiguous", share: 0.3, ms: 200 },
      { do: "dispatch", bank: 0, key: 0, count: 3, ends: "day", inMs: 3_000 },
      { do: "plan", inMs: 1_000 },
      advance(70_000),
      dispatch(0, 0),
    ],
  ],
  [
    "evidence: a message whose deadline passes during its attempt is not recorded as one that was never tried",
    { ...plain, seed: 711_797 },
    [
      advance(400_000),
      { do: "plan", inMs: 1_000 },
      { do: "dispatch", bank: 0, key: 0, count: 2, ends: "deadline", inMs: 3_000 },
      { do: "answer", bank: 0, key: null, how: "silent" },
      { do: "redrive", message: 0 },
      { do: "stop", message: 15 },
      { do: "answer", bank: 0, key: null, how: "202" },
    ],
  ],
  [
    "I5: a fact of an owner that was cut off may land while its successor still tries the message",
    { ...plain, seed: 639_033 },
    [
      advance(1_500),
      advance(400_000),
      { do: "outage", bank: 0, how: "503" },
      { do: "give-up", message: 10 },
      advance(70_000),
      { do: "dispatch", bank: 2, key: 0, count: 1, ends: "day", inMs: 3_000 },
      { do: "cut", process: 0, ms: 20_000 },
      { do: "start" },
      { do: "answer", bank: 2, key: null, how: "429 for 2 s" },
      { do: "end", process: 0 },
      { do: "outage", bank: 0, how: "503" },
    ],
  ],
  [
    "I7: messages that fail often take turns of 40 s at an endpoint whose answers taught it one request at once",
    { ...plain, partitionCount: 2 },
    [
      { do: "start" },
      { do: "store", trouble: "down", share: 0.3, ms: 2_000 },
      { do: "outage", bank: 1, how: "503" },
      { do: "kill", process: 0 },
      { do: "outage", bank: 1, how: "silent" },
      advance(400_000),
    ],
  ],
];

describe("sequences that once broke a law", () => {
  it.each(regressions)("%s", async (_, settings, steps) => {
    await expect(playSteps(settings, steps)).resolves.toBeUndefined();
  });
});
