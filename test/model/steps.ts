// The steps of a run, as plain data: what banks, operators, days and faults do to the delivery engine, and how runs are drawn. A run
// that goes wrong is printed as the list of its steps, and that list alone repeats it (`known.test.ts`, SLUICE_STEPS).

import * as fc from "fast-check";

export const banks = ["first", "second", "third"] as const;
export const keysOfBank = 4;

/** What ends attempts on a message: its day, a time of its own, an own deadline (which ends the delivery too), nothing. */
export type Ending = "day" | "stops" | "deadline" | "never";

/** How a bank answers. `slow`: 202 after 2.5 s. `slow 503`: after 2.5 s. `odd 503`: first, third, … attempts of a message. */
export const answers = [
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
export type Answer = (typeof answers)[number];

export type StoreTrouble = "down" | "slow" | "ambiguous" | "torn";
export type LogTrouble = "refuse" | "lose-answer" | "lose-request" | "unknown";

export type Step =
  | {
      readonly do: "dispatch";
      readonly bank: number;
      readonly key: number;
      readonly count: number;
      readonly ends: Ending;
      readonly inMs: number;
    }
  | { readonly do: "stop"; readonly message: number }
  | { readonly do: "redrive"; readonly message: number }
  | { readonly do: "plan"; readonly inMs: number }
  | { readonly do: "close" }
  | { readonly do: "pause"; readonly bank: number; readonly forMs: number | null }
  | { readonly do: "resume"; readonly bank: number }
  /** `key` null: all of the bank's. */
  | { readonly do: "answer"; readonly bank: number; readonly key: number | null; readonly how: Answer }
  /** Every key of the bank is given three messages, and all are answered so for half a minute and on. */
  | { readonly do: "outage"; readonly bank: number; readonly how: Answer }
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

export interface Settings {
  readonly seed: number;
  readonly lanes: 1 | 2;
  /** Pages, buffers and bulks of a few messages, so that what happens with a million happens with twenty. */
  readonly isSmall: boolean;
}

const bank = fc.nat(banks.length - 1);
const process = fc.nat(1);
const message = fc.nat(63);
const faultMs = fc.constantFrom(200, 2_000, 15_000);
const share = fc.constantFrom(0.3, 1);

function step<S extends Step>(name: S["do"], members: { readonly [K in Exclude<keyof S, "do">]: fc.Arbitrary<S[K]> }): fc.Arbitrary<Step> {
  return fc.record({ do: fc.constant(name), ...members }) as unknown as fc.Arbitrary<Step>;
}

type Of<D extends Step["do"]> = Extract<Step, { readonly do: D }>;

const dispatch = step<Of<"dispatch">>("dispatch", {
  bank,
  key: fc.nat(keysOfBank - 1),
  count: fc.integer({ min: 1, max: 4 }),
  ends: fc.constantFrom<Ending>("day", "day", "stops", "deadline", "never"),
  inMs: fc.constantFrom(3_000, 40_000, 600_000),
});
const answer = step<Of<"answer">>("answer", {
  bank,
  key: fc.option(fc.nat(keysOfBank - 1), { freq: 1 }),
  how: fc.constantFrom(...answers),
});
const advance = step<Of<"advance">>("advance", { ms: fc.constantFrom(3, 50, 400, 1_500, 6_000, 12_000, 30_000, 70_000, 400_000) });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: dispatch },
  { weight: 7, arbitrary: answer },
  { weight: 9, arbitrary: advance },
  {
    weight: 2,
    arbitrary: step<Of<"outage">>("outage", { bank, how: fc.constantFrom<Answer>("503", "500", "silent", "429 for 2 s", "404", "422") }),
  },
  { weight: 2, arbitrary: step<Of<"answer">>("answer", { bank, key: fc.constant(null), how: fc.constant<Answer>("202") }) },
  { weight: 2, arbitrary: step<Of<"stop">>("stop", { message }) },
  { weight: 2, arbitrary: step<Of<"redrive">>("redrive", { message }) },
  { weight: 1, arbitrary: step<Of<"plan">>("plan", { inMs: fc.constantFrom(1_000, 20_000, 300_000) }) },
  { weight: 1, arbitrary: step<Of<"close">>("close", {}) },
  { weight: 1, arbitrary: step<Of<"pause">>("pause", { bank, forMs: fc.option(fc.constantFrom(5_000, 60_000)) }) },
  { weight: 1, arbitrary: step<Of<"resume">>("resume", { bank }) },
  { weight: 2, arbitrary: step<Of<"start">>("start", {}) },
  { weight: 1, arbitrary: step<Of<"kill">>("kill", { process }) },
  { weight: 1, arbitrary: step<Of<"end">>("end", { process }) },
  {
    weight: 2,
    arbitrary: step<Of<"crash">>("crash", { process, calls: fc.integer({ min: 1, max: 30 }), side: fc.constantFrom("before", "after") }),
  },
  { weight: 1, arbitrary: step<Of<"freeze">>("freeze", { process, ms: fc.constantFrom(4_000, 60_000) }) },
  { weight: 1, arbitrary: step<Of<"cut">>("cut", { process, ms: fc.constantFrom(2_500, 5_000, 20_000) }) },
  { weight: 1, arbitrary: step<Of<"rebalance">>("rebalance", {}) },
  {
    weight: 1,
    arbitrary: step<Of<"store">>("store", {
      trouble: fc.constantFrom<StoreTrouble>("down", "slow", "ambiguous", "torn"),
      share,
      ms: faultMs,
    }),
  },
  {
    weight: 1,
    arbitrary: step<Of<"log">>("log", {
      trouble: fc.constantFrom<LogTrouble>("refuse", "lose-answer", "lose-request", "unknown"),
      share,
      ms: faultMs,
    }),
  },
);

export const anySettings: fc.Arbitrary<Settings> = fc.record({
  seed: fc.nat(1_000_000),
  lanes: fc.constantFrom<1 | 2>(1, 2),
  isSmall: fc.boolean(),
});
