import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BankStanding } from "./bank-standing.ts";
import { bankDecisionsKept, bankMarkersKept } from "./bank-standing.ts";
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
    { kind: "bank-marker", marker: { kind: "BankPaused", id: "bank:a:BankPaused:2", bank: "a", number: 2, reason: action("p2").reason } },
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

const facts = fc.array(
  fc.tuple(fc.boolean(), fc.nat(40)).map(([isPause, id]) => (isPause ? pause("a", `p${id}`) : resume("a", `r${id}`))),
  { maxLength: 120, size: "max" },
);

test("I3: a replayed record of a bank gives its first markers again; ids are never used twice; pauses and resumes take turns", () => {
  fc.assert(
    fc.property(facts, (asked) => {
      const { standing, outcomes } = bankAfter(...asked);
      const told = outcomes.flatMap(({ outputs }) => outputs.map(({ marker }) => marker));
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
      expect(told.map(({ kind }) => kind)).toEqual(told.map((_, index) => (index % 2 === 0 ? "BankPaused" : "BankResumed")));
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
  expect([10n, 11n, 20n, 21n].map((offset) => isPausedBelow(lane, "a", offset))).toEqual([false, true, true, false]);
  expect(isPausedBelow(lane, "b", 15n)).toBe(false);
});
