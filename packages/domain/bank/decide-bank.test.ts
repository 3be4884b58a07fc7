import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bankDecisionsKept, bankMarkersKept, type BankState, isPausedAt } from "./bank-state.ts";
import { decideBank, type DecideBankResult } from "./decide-bank.ts";
import type { BankFact } from "../fact.ts";
import { action, pause, resume } from "../operators.fixture.ts";
import { isPausedBelow } from "./pause-history.ts";
import { createPartitionView } from "../partition-view.ts";

/** Applies these facts to a bank, the n-th at offset n and time 10 n. */
function bankAfter(...facts: readonly BankFact[]): { state: BankState | null; outcomes: readonly DecideBankResult[] } {
  let state: BankState | null = null;
  const outcomes = facts.map((fact, index) => {
    const outcome = decideBank("bank:a", state, fact, { offset: BigInt(index), appendedAtMs: index * 10 });
    state = outcome.state;
    return outcome;
  });
  return { state, outcomes };
}

const ids = (outcome: DecideBankResult | undefined): readonly string[] => (outcome?.outputs ?? []).map(({ marker }) => marker.id);

test("a pause and a resume each make a marker with the reason; the bank's state shows who and when", () => {
  const { state, outcomes } = bankAfter(pause("a", "p1"), resume("a", "r1"), pause("a", "p2"));
  expect(outcomes.map(ids)).toEqual([["bank:a:BankPaused:1"], ["bank:a:BankResumed:1"], ["bank:a:BankPaused:2"]]);
  expect(outcomes[2]?.outputs).toEqual([
    {
      kind: "bank-marker",
      marker: { kind: "BankPaused", id: "bank:a:BankPaused:2", bank: "a", number: 2, reason: action("p2").reason, untilMs: null },
    },
  ]);
  expect(state).toMatchObject({
    bank: "a",
    isPaused: true,
    since: { action: action("p2"), atMs: 20 },
    pauses: 2,
    resumes: 1,
    version: 3,
  });
});

test("a request for what is already so is ignored and noted; a repeated action is ignored without a note", () => {
  const { state, outcomes } = bankAfter(resume("a", "r1"), pause("a", "p1"), pause("a", "p2"), resume("a", "r2"), pause("a", "p1"));
  expect(outcomes.map(({ decision, reason }) => [decision, reason])).toEqual([
    ["ignored", "already-so"],
    ["applied", null],
    ["ignored", "already-so"],
    ["applied", null],
    ["ignored", "already-decided"],
  ]);
  expect(state).toMatchObject({ isPaused: false, version: 5, applied: 4n });
  expect(state?.decisions.map(({ action: { id }, result, why }) => [id, result, why])).toEqual([
    ["r1", "ignored", "already-so"],
    ["p1", "applied", null],
    ["p2", "ignored", "already-so"],
    ["r2", "applied", null],
  ]);
});

test("a fact under another bank's key changes nothing", () => {
  expect(bankAfter(pause("b", "p1")).outcomes).toEqual([{ decision: "refused", reason: "other-key", state: null, outputs: [] }]);
});

test("at its end a maintenance is over: a resume finds nothing to end, and a pause is a new one", () => {
  const { state, outcomes } = bankAfter(
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
  expect(state).toMatchObject({ isPaused: true, untilMs: 30, pauses: 2, resumes: 1 });
  expect([29, 30].map((atMs) => state !== null && isPausedAt(state, atMs))).toEqual([true, false]);
  expect(bankAfter(pause("a", "p1", 5), pause("a", "p2")).outcomes.map(ids)).toEqual([["bank:a:BankPaused:1"], ["bank:a:BankPaused:2"]]);
});

test("the last pause wins and may change, remove or set the end; one with the same end is ignored", () => {
  const asked = [
    pause("a", "p1", 500),
    pause("a", "p2", 500),
    pause("a", "p3", 300),
    pause("a", "p4"),
    pause("a", "p5"),
    pause("a", "p6", 90),
  ];
  const { state, outcomes } = bankAfter(...asked, resume("a", "r1"));
  const decisions = outcomes.map(
    ({ reason, outputs }) => outputs.map(({ marker }) => (marker.kind === "BankPaused" ? marker.untilMs : "end"))[0] ?? reason,
  );
  // `null ?? reason`: a pause without an end.
  expect(decisions).toEqual([500, "already-so", 300, null, "already-so", 90, "end"]);
  expect(outcomes.flatMap(ids)).toEqual([...[1, 2, 3, 4].map((number) => `bank:a:BankPaused:${number}`), "bank:a:BankResumed:4"]);
  expect(state).toMatchObject({ isPaused: false, untilMs: null });
});

test("a pause whose end is not ahead when it is appended changes nothing", () => {
  const { state, outcomes } = bankAfter(pause("a", "p1", 0), pause("a", "p2"), pause("a", "p3", 20));
  expect(outcomes.map(({ reason }) => reason)).toEqual(["end-reached", null, "end-reached"]);
  expect(state).toMatchObject({ isPaused: true, untilMs: null });
});

const facts = fc.array(
  fc
    .tuple(fc.boolean(), fc.nat(40), fc.option(fc.nat(1_500), { nil: null }))
    .map(([isPause, id, untilMs]) => (isPause ? pause("a", `p${id}`, untilMs) : resume("a", `r${id}`))),
  { maxLength: 120, size: "max" },
);

test("a partition's markers, in their order, show a bank as its own state did at that time", () => {
  fc.assert(
    fc.property(facts, fc.array(fc.nat(1_500), { maxLength: 5 }), (asked, laterMs) => {
      const { outcomes } = bankAfter(...asked);
      const ofBanks = outcomes.flatMap(({ outputs }, index) =>
        outputs.map(({ marker }) => ({ marker, position: { offset: BigInt(index), appendedAtMs: index * 10 } })),
      );
      const partition = createPartitionView(0, [], ofBanks);
      for (const [index, { state }] of outcomes.entries()) {
        for (const atMs of [index * 10, ...laterMs.map((ms) => ms + index * 10)]) {
          const isPaused = state !== null && isPausedAt(state, atMs);
          expect(isPausedBelow(partition.bankMarkersOf("a"), { offset: BigInt(index + 1), appendedAtMs: atMs })).toBe(isPaused);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("I3: a replayed record of a bank gives its first markers again; ids are never used twice and marker numbers never go back", () => {
  fc.assert(
    fc.property(facts, (asked) => {
      const { state, outcomes } = bankAfter(...asked);
      const markers = outcomes.flatMap(({ outputs }) => outputs.map(({ marker }) => marker));
      expect(new Set(markers.map(({ id }) => id)).size).toBe(markers.length);
      const ranks = markers.map(({ kind, number }) => 2 * number - (kind === "BankPaused" ? 1 : 0));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      const isKept = (outcome: DecideBankResult): boolean =>
        outcome.outputs.every(({ marker }) => state?.markers.some((one) => one.marker.id === marker.id));
      for (const [index, fact] of asked.entries()) {
        const first = outcomes[index];
        if (first === undefined || !isKept(first)) continue;
        const again = decideBank("bank:a", state, fact, { offset: BigInt(index), appendedAtMs: index * 10 });
        expect(again).toEqual({ decision: "replayed", reason: null, state, outputs: first.outputs });
      }
    }),
    { numRuns: 100 },
  );
});

test("I15: the state of a bank is bounded", () => {
  const asked = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? pause("a", `${index}`) : resume("a", `${index}`)));
  const { state } = bankAfter(...asked);
  expect(state?.markers).toHaveLength(bankMarkersKept);
  expect(state?.decisions).toHaveLength(bankDecisionsKept);
  expect(state).toMatchObject({ pauses: 50, resumes: 50 });
});

test("a partition takes a bank as paused from the marker on until the end, and no longer", () => {
  const { outcomes } = bankAfter(pause("a", "p1"), resume("a", "r1"));
  const ofBanks = outcomes.flatMap(({ outputs }, index) =>
    outputs.map(({ marker }) => ({ marker, position: { offset: BigInt(10 * (index + 1)), appendedAtMs: 0 } })),
  );
  const partition = createPartitionView(0, [], ofBanks);
  const isPausedAtOffset = (offset: bigint, ofBank = "a") => isPausedBelow(partition.bankMarkersOf(ofBank), { offset, appendedAtMs: 0 });
  expect([10n, 11n, 20n, 21n].map((offset) => isPausedAtOffset(offset))).toEqual([false, true, true, false]);
  expect(isPausedAtOffset(15n, "b")).toBe(false);
});
