import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BankStanding } from "./bank-standing.ts";
import { bankDecisionsKept, bankMarkersKept, isPausedAt } from "./bank-standing.ts";
import type { BankOutcome } from "./decide-bank.ts";
import { decideBank } from "./decide-bank.ts";
import type { BankFact } from "./fact.ts";
import { action, pause, resume } from "./given-operators.ts";
import { isPausedBelow, laneView } from "./lane.ts";

/** Told these facts, the n-th at offset n and time 10 n. */
function bankAfter(...facts: readonly BankFact[]): { standing: BankStanding | null; outcomes: readonly BankOutcome[] } {
  let standing: BankStanding | null = null;
  const outcomes = facts.map((fact, index) => {
    const outcome = decideBank("bank:a", standing, fact, { offset: BigInt(index), appendedAtMs: index * 10 });
    standing = outcome.standing;
    return outcome;
  });
  return { standing, outcomes };
}

const ids = (outcome: BankOutcome | undefined): readonly string[] => (outcome?.outputs ?? []).map(({ marker }) => marker.id);

test("a bank is paused and resumed, each with a marker that says why; the standing says who and when", () => {
  const { standing, outcomes } = bankAfter(pause("a", "p1"), resume("a", "r1"), pause("a", "p2"));
  expect(outcomes.map(ids)).toEqual([["bank:a:BankPaused:1"], ["bank:a:BankResumed:1"], ["bank:a:BankPaused:2"]]);
  expect(outcomes[2]?.outputs).toEqual([
    {
      kind: "bank-marker",
      marker: { kind: "BankPaused", id: "bank:a:BankPaused:2", bank: "a", number: 2, reason: action("p2").reason, untilMs: null },
    },
  ]);
  expect(standing).toMatchObject({
    bank: "a",
    isPaused: true,
    since: { action: action("p2"), atMs: 20 },
    pauses: 2,
    resumes: 1,
    version: 3,
  });
});

test("what is already so is ignored and noted; the same action a second time is ignored and leaves no note", () => {
  const { standing, outcomes } = bankAfter(resume("a", "r1"), pause("a", "p1"), pause("a", "p2"), resume("a", "r2"), pause("a", "p1"));
  expect(outcomes.map(({ decision, reason }) => [decision, reason])).toEqual([
    ["ignored", "already-so"],
    ["applied", null],
    ["ignored", "already-so"],
    ["applied", null],
    ["ignored", "already-decided"],
  ]);
  expect(standing).toMatchObject({ isPaused: false, version: 5, applied: 4n });
  expect(standing?.decisions.map(({ action: { id }, result, why }) => [id, result, why])).toEqual([
    ["r1", "ignored", "already-so"],
    ["p1", "applied", null],
    ["p2", "ignored", "already-so"],
    ["r2", "applied", null],
  ]);
});

test("a fact under another bank's key changes nothing", () => {
  expect(bankAfter(pause("b", "p1")).outcomes).toEqual([{ decision: "refused", reason: "other-key", standing: null, outputs: [] }]);
});

test("a maintenance is over at its end: a resume has nothing to end then, and a pause is a new one", () => {
  const { standing, outcomes } = bankAfter(
    pause("a", "p1", 20),
    resume("a", "r0"),
    pause("a", "p2", 30),
    resume("a", "r1"),
    resume("a", "r2"),
  );
  expect(outcomes.map(({ decision, reason }) => [decision, reason])).toEqual([
    ["applied", null],
    ["applied", null],
    ["applied", null],
    ["ignored", "already-so"],
    ["ignored", "already-so"],
  ]);
  expect(standing).toMatchObject({ isPaused: true, untilMs: 30, pauses: 2, resumes: 1 });
  expect([29, 30].map((atMs) => standing !== null && isPausedAt(standing, atMs))).toEqual([true, false]);
  expect(bankAfter(pause("a", "p1", 5), pause("a", "p2")).outcomes.map(ids)).toEqual([["bank:a:BankPaused:1"], ["bank:a:BankPaused:2"]]);
});

test("of pauses the last one wins: it changes the end, takes it away or gives one; what says the same is ignored", () => {
  const asked = [
    pause("a", "p1", 500),
    pause("a", "p2", 500),
    pause("a", "p3", 300),
    pause("a", "p4"),
    pause("a", "p5"),
    pause("a", "p6", 90),
  ];
  const { standing, outcomes } = bankAfter(...asked, resume("a", "r1"));
  const said = outcomes.map(
    ({ reason, outputs }) => outputs.map(({ marker }) => (marker.kind === "BankPaused" ? marker.untilMs : "end"))[0] ?? reason,
  );
  // `null ?? reason`: a pause without an end.
  expect(said).toEqual([500, "already-so", 300, null, "already-so", 90, "end"]);
  expect(outcomes.flatMap(ids)).toEqual([...[1, 2, 3, 4].map((number) => `bank:a:BankPaused:${number}`), "bank:a:BankResumed:4"]);
  expect(standing).toMatchObject({ isPaused: false, untilMs: null });
});

test("a pause whose end is not ahead, when it is appended, changes nothing", () => {
  const { standing, outcomes } = bankAfter(pause("a", "p1", 0), pause("a", "p2"), pause("a", "p3", 20));
  expect(outcomes.map(({ reason }) => reason)).toEqual(["end-reached", null, "end-reached"]);
  expect(standing).toMatchObject({ isPaused: true, untilMs: null });
});

const facts = fc.array(
  fc
    .tuple(fc.boolean(), fc.nat(40), fc.option(fc.nat(1_500), { nil: null }))
    .map(([isPause, id, untilMs]) => (isPause ? pause("a", `p${id}`, untilMs) : resume("a", `r${id}`))),
  { maxLength: 120, size: "max" },
);

test("what a lane says of a bank by its markers, in their order, is what the bank's standing said then", () => {
  fc.assert(
    fc.property(facts, fc.array(fc.nat(1_500), { maxLength: 5 }), (asked, laterMs) => {
      const { outcomes } = bankAfter(...asked);
      const ofBanks = outcomes.flatMap(({ outputs }, index) =>
        outputs.map(({ marker }) => ({ marker, place: { offset: BigInt(index), appendedAtMs: index * 10 } })),
      );
      const lane = laneView(0, [], ofBanks);
      for (const [index, { standing }] of outcomes.entries()) {
        for (const atMs of [index * 10, ...laterMs.map((ms) => ms + index * 10)]) {
          const isPaused = standing !== null && isPausedAt(standing, atMs);
          expect(isPausedBelow(lane, "a", { offset: BigInt(index + 1), appendedAtMs: atMs })).toBe(isPaused);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("I3: a replayed record of a bank gives its first markers again; ids are never used twice; no marker is out of the order of its number", () => {
  fc.assert(
    fc.property(facts, (asked) => {
      const { standing, outcomes } = bankAfter(...asked);
      const told = outcomes.flatMap(({ outputs }) => outputs.map(({ marker }) => marker));
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
      const ranks = told.map(({ kind, number }) => 2 * number - (kind === "BankPaused" ? 1 : 0));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      const isKept = (outcome: BankOutcome): boolean =>
        outcome.outputs.every(({ marker }) => standing?.told.some((one) => one.marker.id === marker.id));
      for (const [index, fact] of asked.entries()) {
        const first = outcomes[index];
        if (first === undefined || !isKept(first)) continue;
        const again = decideBank("bank:a", standing, fact, { offset: BigInt(index), appendedAtMs: index * 10 });
        expect(again).toEqual({ decision: "replayed", reason: null, standing, outputs: first.outputs });
      }
    }),
    { numRuns: 100 },
  );
});

test("I15: what a bank keeps is bounded", () => {
  const asked = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? pause("a", `${index}`) : resume("a", `${index}`)));
  const { standing } = bankAfter(...asked);
  expect(standing?.told).toHaveLength(bankMarkersKept);
  expect(standing?.decisions).toHaveLength(bankDecisionsKept);
  expect(standing).toMatchObject({ pauses: 50, resumes: 50 });
});

test("a lane knows a bank as paused from its marker on, and no longer", () => {
  const { outcomes } = bankAfter(pause("a", "p1"), resume("a", "r1"));
  const ofBanks = outcomes.flatMap(({ outputs }, index) =>
    outputs.map(({ marker }) => ({ marker, place: { offset: BigInt(10 * (index + 1)), appendedAtMs: 0 } })),
  );
  const lane = laneView(0, [], ofBanks);
  const isPausedAtOffset = (offset: bigint, ofBank = "a") => isPausedBelow(lane, ofBank, { offset, appendedAtMs: 0 });
  expect([10n, 11n, 20n, 21n].map((offset) => isPausedAtOffset(offset))).toEqual([false, true, true, false]);
  expect(isPausedAtOffset(15n, "b")).toBe(false);
});
