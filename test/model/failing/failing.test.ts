// A bank takes all but k messages, for every k from 1 to 10,000, with up to 1,000 receivers configured, silent and slow
// crowds, and one receiver whose name is never resolved. A plan that breaks a law is printed.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyFailingPlan, type FailingPlan } from "./plan.ts";
import { playFailingPlan } from "./run.ts";

const runsInCi = 8;
/** The number of runs with `./sluice test --long`. */
const runsLong = 400;
const runs = Number(process.env["SLUICE_MODEL_RUNS"] ?? (process.env["SLUICE_LONG"] === "1" ? runsLong : runsInCi));
const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_123);
const timeout = 3_600_000;

const nothingBroken = { late: 0, inversions: 0, left: 0 };

test(
  `I14, I4, I16: what a bank takes arrives within a minute beside k messages that it fails, in ${runs} drawn runs [D3.53]`,
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyFailingPlan, async (plan) => {
        expect(await playFailingPlan(plan)).toMatchObject(nothingBroken);
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
  },
);

test("I14, I4, I16: the same where failing messages come in bursts over twelve partitions", { timeout }, async () => {
  const rounds = [
    { failing: 44, taken: 9, healedShare: 0 },
    { failing: 0, taken: 35, healedShare: 0.3 },
    { failing: 552, taken: 36, healedShare: 0.3 },
    { failing: 196, taken: 27, healedShare: 0 },
  ];
  const bank = { connections: 1, answerMs: 5 };
  const plan: FailingPlan = { ...bank, seed: 1_268_393_217, partitionCount: 12, configured: 383, silent: 114, slow: 114, rounds };
  expect(await playFailingPlan(plan)).toMatchObject(nothingBroken);
});

test(
  "I14, I4, I16: the same beside 10,000 failing messages, with 1,000 receivers of which 400 are silent or slow",
  { timeout },
  async () => {
    const rounds = [
      { failing: 10_000, taken: 100, healedShare: 0 },
      { failing: 0, taken: 10, healedShare: 1 },
    ];
    const bank = { connections: 16, answerMs: 5 };
    const plan: FailingPlan = { ...bank, seed: 1, partitionCount: 1, configured: 1_000, silent: 200, slow: 200, rounds };
    expect(await playFailingPlan(plan)).toMatchObject(nothingBroken);
  },
);
