// The steps of a run as plain data, and how runs are drawn. Steps are what banks, operators, days and faults do to the
// delivery engine. A run that breaks a law is printed as the list of its steps, which repeats it
// (`regressions.test.ts`, SLUICE_STEPS).

import * as fc from "fast-check";

export const modelBanks = ["first", "second", "third"] as const;
export const keysPerBank = 4;

/**
 * What ends the attempts at a message: its day, its stop time, its deadline (which also ends the delivery), or nothing.
 */
type MessageLimit = "day" | "stops" | "deadline" | "never";

/**
 * How a bank answers. `slow` is 202 after 2.5 s, `slow 503` is 503 after 2.5 s, `odd 503` is 503 to the first, third, …
 * attempt.
 */
const bankAnswerKinds = [
  "202",
  "500",
  "503",
  "503 for 30 s",
  "429",
  "429 for 2 s",
  "429 for 900 s",
  "404",
  "200",
  "422",
  "409",
  "silent",
  "slow",
  "slow 503",
  "odd 503",
] as const;
export type BankAnswerKind = (typeof bankAnswerKinds)[number];

type StoreTrouble = "down" | "slow" | "ambiguous" | "torn" | "late";
type LogTrouble = "refuse" | "lose-answer" | "lose-request" | "unknown";

export type ModelStep =
  | {
      readonly do: "dispatch";
      readonly bank: number;
      readonly key: number;
      readonly count: number;
      readonly ends: MessageLimit;
      readonly inMs: number;
    }
  | { readonly do: "stop"; readonly message: number }
  | { readonly do: "redrive"; readonly message: number }
  /** An operator has the message tried no more. */
  | { readonly do: "give-up"; readonly message: number }
  | { readonly do: "plan"; readonly inMs: number }
  | { readonly do: "close" }
  | { readonly do: "pause"; readonly bank: number; readonly forMs: number | null }
  | { readonly do: "resume"; readonly bank: number }
  /** With `key` null it applies to all keys of the bank. */
  | { readonly do: "answer"; readonly bank: number; readonly key: number | null; readonly how: BankAnswerKind }
  /**
   * Dispatches three messages for every key of the bank, which answers all of them this way for half a minute and
   * beyond.
   */
  | { readonly do: "outage"; readonly bank: number; readonly how: BankAnswerKind }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "start" }
  | { readonly do: "kill"; readonly process: number }
  | { readonly do: "end"; readonly process: number }
  | { readonly do: "crash"; readonly process: number; readonly calls: number; readonly side: "before" | "after" }
  | { readonly do: "freeze"; readonly process: number; readonly ms: number }
  | { readonly do: "cut"; readonly process: number; readonly ms: number }
  | { readonly do: "rebalance" }
  | { readonly do: "store"; readonly trouble: StoreTrouble; readonly share: number; readonly ms: number }
  | { readonly do: "log"; readonly trouble: LogTrouble; readonly share: number; readonly ms: number };

export interface ModelSettings {
  readonly seed: number;
  readonly partitionCount: 1 | 2;
  /** Uses pages, buffers and bulk writes of a few messages, so that twenty messages behave as a million would. */
  readonly isSmall: boolean;
}

const bank = fc.nat(modelBanks.length - 1);
const process = fc.nat(1);
const message = fc.nat(63);
const faultMs = fc.constantFrom(200, 2_000, 15_000);
const share = fc.constantFrom(0.3, 1);

function step<S extends ModelStep>(
  name: S["do"],
  members: { readonly [K in Exclude<keyof S, "do">]: fc.Arbitrary<S[K]> },
): fc.Arbitrary<ModelStep> {
  return fc.record({ do: fc.constant(name), ...members }) as unknown as fc.Arbitrary<ModelStep>;
}

type StepOf<D extends ModelStep["do"]> = Extract<ModelStep, { readonly do: D }>;

const dispatch = step<StepOf<"dispatch">>("dispatch", {
  bank,
  key: fc.nat(keysPerBank - 1),
  count: fc.integer({ min: 1, max: 4 }),
  ends: fc.constantFrom<MessageLimit>("day", "day", "stops", "deadline", "never"),
  inMs: fc.constantFrom(3_000, 40_000, 600_000),
});
const answer = step<StepOf<"answer">>("answer", {
  bank,
  key: fc.option(fc.nat(keysPerBank - 1), { freq: 1 }),
  how: fc.constantFrom(...bankAnswerKinds),
});
const advance = step<StepOf<"advance">>("advance", { ms: fc.constantFrom(3, 50, 400, 1_500, 6_000, 12_000, 30_000, 70_000, 400_000) });

export const anyStep: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 10, arbitrary: dispatch },
  { weight: 7, arbitrary: answer },
  { weight: 9, arbitrary: advance },
  {
    weight: 2,
    arbitrary: step<StepOf<"outage">>("outage", {
      bank,
      how: fc.constantFrom<BankAnswerKind>("503", "500", "silent", "429 for 2 s", "404", "422"),
    }),
  },
  { weight: 2, arbitrary: step<StepOf<"answer">>("answer", { bank, key: fc.constant(null), how: fc.constant<BankAnswerKind>("202") }) },
  { weight: 2, arbitrary: step<StepOf<"stop">>("stop", { message }) },
  { weight: 2, arbitrary: step<StepOf<"redrive">>("redrive", { message }) },
  { weight: 2, arbitrary: step<StepOf<"give-up">>("give-up", { message }) },
  { weight: 1, arbitrary: step<StepOf<"plan">>("plan", { inMs: fc.constantFrom(1_000, 20_000, 300_000) }) },
  { weight: 1, arbitrary: step<StepOf<"close">>("close", {}) },
  { weight: 1, arbitrary: step<StepOf<"pause">>("pause", { bank, forMs: fc.option(fc.constantFrom(5_000, 60_000)) }) },
  { weight: 1, arbitrary: step<StepOf<"resume">>("resume", { bank }) },
  { weight: 2, arbitrary: step<StepOf<"start">>("start", {}) },
  { weight: 1, arbitrary: step<StepOf<"kill">>("kill", { process }) },
  { weight: 1, arbitrary: step<StepOf<"end">>("end", { process }) },
  {
    weight: 2,
    arbitrary: step<StepOf<"crash">>("crash", {
      process,
      calls: fc.integer({ min: 1, max: 30 }),
      side: fc.constantFrom("before", "after"),
    }),
  },
  { weight: 1, arbitrary: step<StepOf<"freeze">>("freeze", { process, ms: fc.constantFrom(4_000, 60_000) }) },
  { weight: 1, arbitrary: step<StepOf<"cut">>("cut", { process, ms: fc.constantFrom(2_500, 5_000, 20_000) }) },
  { weight: 1, arbitrary: step<StepOf<"rebalance">>("rebalance", {}) },
  {
    weight: 1,
    arbitrary: step<StepOf<"store">>("store", {
      trouble: fc.constantFrom<StoreTrouble>("down", "slow", "ambiguous", "torn", "late", "late"),
      share,
      ms: faultMs,
    }),
  },
  {
    weight: 1,
    arbitrary: step<StepOf<"log">>("log", {
      trouble: fc.constantFrom<LogTrouble>("refuse", "lose-answer", "lose-request", "unknown"),
      share,
      ms: faultMs,
    }),
  },
);

export const anySettings: fc.Arbitrary<ModelSettings> = fc.record({
  seed: fc.nat(1_000_000),
  partitionCount: fc.constantFrom<1 | 2>(1, 2),
  isSmall: fc.boolean(),
});
