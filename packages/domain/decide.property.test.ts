// What holds for every sequence of records: a good journey with anything thrown in between, markers in any order.
// Legal paths, windows and gates are judged here by their own small models, not by the code under test.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import {
  bank,
  completed,
  dayClosed,
  dayReconciled,
  debit,
  digest,
  ended,
  gateOpened,
  identity,
  isMarker,
  placeOf,
  release,
  report,
  scheme,
  tellAll,
  today,
  tomorrow,
  uetr,
  verdict,
  windowClosed,
  windowOpened,
} from "./given.ts";
import type { Step } from "./given.ts";
import { answerIdentification } from "./ids.ts";
import { laneView } from "./lane.ts";
import { lateAnswersKept, remarksKept, toldMax, transitionsMax } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

const names = fc.constantFrom("M1", "M2", "M3", "M4");
const contents = fc.constantFrom("c1", "c2");
const senders = fc.constantFrom("bank-a", "bank-a", "bank-b");
const days = fc.constantFrom(today, today, tomorrow);
const letters = fc.constantFrom("A" as const, "R" as const, "D" as const);

const anyFact: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(names, contents, senders).map(([name, content, sender]) => debit({ message: identity(name, content, sender) })),
  fc
    .tuple(fc.constantFrom("accepted" as const, "refused" as const), days)
    .map(([kind, closesWith]) => verdict({ verdict: kind, closesWith, businessDate: closesWith.slice(scheme.length + 1) })),
  fc.tuple(fc.constantFrom(1, 2), senders).map(([windowNumber, to]) => release({ windowNumber, bank: to })),
  fc
    .tuple(letters, fc.constantFrom("acknowledged" as const, "refused" as const, "stopped" as const), fc.boolean())
    .map(([letter, outcome, anyAnswer]) => ended(letter, outcome, { anyAnswer })),
  fc.constant({ ...ended("A"), messageIdentification: answerIdentification("X", bank, "outboundDirectDebit", uetr, "M2", digest) }),
  fc
    .tuple(fc.constantFrom("made" as const, "not-made" as const, "pending" as const), fc.constantFrom("R1", "R2", "R3"), contents, senders)
    .map(([outcome, name, content, sender]) => report(outcome, { message: identity(name, content, sender) })),
  days.map(dayClosed),
);
const anyMarker: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(1, 2).map((number) => windowOpened(number)),
  fc.constantFrom(1, 2).map((number) => windowClosed(number)),
  fc.constantFrom([], [bank]).map((except) => gateOpened({ except })),
  fc.constantFrom("2026-11-20", "2026-11-23").map(dayReconciled),
);

/** The good journey goes on where `null` stands; anything else comes in between. */
const sequences: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: anyFact }, { weight: 1, arbitrary: anyMarker }), {
    minLength: 4,
    maxLength: 28,
  })
  .map((choices) => {
    const journey = completed.values();
    return choices.flatMap((choice) => {
      if (choice !== null) return [choice];
      const next = journey.next();
      return next.done === true ? [] : [next.value];
    });
  });

const runs = { numRuns: 250 };

function statesOf(transaction: Transaction | null): readonly string[] {
  return transaction?.transitions.map((entry) => entry.state) ?? [];
}

test("I6: stage versions are gap-free from 1, one event each, and the path is a legal one", () => {
  const legal = new Set(
    [
      "- RECEIVED",
      "RECEIVED ACCEPTED",
      "RECEIVED REJECTED",
      "REJECTED REJECTION_REPORTED",
      "ACCEPTED REPORTED",
      "REPORTED HELD",
      "HELD RELEASED",
      "RELEASED DELIVERED",
      "DELIVERED COMPLETED",
      "DELIVERED UNPAID",
    ].concat(["RECEIVED", "ACCEPTED", "REJECTED", "HELD", "RELEASED", "DELIVERED"].map((state) => `${state} RECONCILIATION`)),
  );
  fc.assert(
    fc.property(sequences, (steps) => {
      const { transaction, outcomes } = tellAll(steps);
      const states = statesOf(transaction);
      expect(transaction?.transitions.map((entry) => entry.stageVersion) ?? []).toEqual(states.map((_, index) => index + 1));
      expect(states.filter((state, index) => !legal.has(`${states[index - 1] ?? "-"} ${state}`))).toEqual([]);
      const events = outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
      expect(events.map((event) => [event.stageVersion, event.state])).toEqual(states.map((state, index) => [index + 1, state]));
    }),
    runs,
  );
});

test("I5: at most one terminal state, and nothing leaves it; times never run backwards", () => {
  const terminal = new Set(["REJECTION_REPORTED", "COMPLETED", "UNPAID", "RECONCILIATION"]);
  fc.assert(
    fc.property(sequences, (steps) => {
      const { transaction } = tellAll(steps);
      expect(
        statesOf(transaction)
          .slice(0, -1)
          .filter((state) => terminal.has(state)),
      ).toEqual([]);
      const times = transaction?.transitions.map((entry) => entry.atMs) ?? [];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
    runs,
  );
});

test("I3: a replayed record gives its first outputs again and changes nothing, at every later moment", () => {
  fc.assert(
    fc.property(sequences, (steps) => {
      const { transaction, outcomes, markers } = tellAll(steps);
      const lane = laneView(3, markers);
      for (const first of outcomes) {
        if (first.transaction === null || transaction === null) continue;
        const again = decide(uetr, transaction, first.fact, first.place, lane, digest);
        expect(again).toEqual({ decision: "replayed", reason: null, transaction, outputs: first.outputs });
      }
    }),
    runs,
  );
});

test("I3: a lane that starts again at any earlier position, from any snapshot, comes to the same transaction and outputs", () => {
  fc.assert(
    fc.property(sequences, fc.nat(27), fc.nat(27), (steps, snapshotAt, positionAt) => {
      const { transaction, outcomes, markers } = tellAll(steps);
      fc.pre(outcomes.length > 0);
      const snapshot = Math.min(snapshotAt, outcomes.length - 1);
      const position = Math.min(positionAt, snapshot);
      let again = outcomes[snapshot]?.transaction ?? null;
      for (const first of outcomes.slice(position)) {
        const outcome = decide(uetr, again, first.fact, first.place, laneView(3, markers), digest);
        again = outcome.transaction;
        expect(outcome.outputs).toEqual(first.outputs);
      }
      expect(again).toEqual(transaction);
    }),
    runs,
  );
});

test("I3: a message sent again enters no state, and sent once more it has no output at all", () => {
  fc.assert(
    fc.property(sequences, fc.nat(27), (steps, pick) => {
      const { outcomes, transaction } = tellAll(steps);
      const messages = outcomes.filter(({ fact }) => fact.kind === "DirectDebitReceived" || fact.kind === "StatusReportReceived");
      const repeated = messages[pick % Math.max(1, messages.length)]?.fact;
      // Reports are known by the last ten remarks; what is older can be taken for new.
      fc.pre(repeated !== undefined && (transaction?.remarks.count ?? 0) < remarksKept);
      const [once, twice] = tellAll([...steps, repeated, repeated]).outcomes.slice(-2);
      // A marker that the lane passed meanwhile is taken in the repeat's turn.
      expect(once?.outputs.filter((output) => output.kind === "event" && output.state !== "RECONCILIATION")).toEqual([]);
      expect(twice?.outputs).toEqual([]);
    }),
    runs,
  );
});

test("I8: no release stands outside an open window, before its bank's gate is open, or after the close", () => {
  fc.assert(
    fc.property(sequences, (steps) => {
      for (const { fact, place, reason, decision } of tellAll(steps).outcomes) {
        if (fact.kind !== "Release" || decision !== "applied") continue;
        expect(reason).toBeNull();
        const passed = steps.filter((step, index) => isMarker(step) && placeOf(index).offset < place.offset).filter(isMarker);
        const inWindow = passed.flatMap((marker) => ("number" in marker && marker.number === fact.windowNumber ? [marker.kind] : []));
        expect(inWindow).toContain("WindowOpened");
        expect(inWindow).not.toContain("WindowClosed");
        const firstGate = passed.find((marker) => marker.kind === "GateOpened");
        expect(firstGate).toMatchObject({ except: [] });
        expect(passed.filter((marker) => marker.kind === "DayReconciled" && marker.businessDate === fact.businessDate)).toEqual([]);
        expect(fact.bank).toBe(bank);
      }
    }),
    runs,
  );
});

test("I10: what is unresolved at its close gets exactly one item, what is not gets none", () => {
  fc.assert(
    fc.property(sequences, (steps) => {
      const woken = [...steps, dayClosed(today), dayClosed(tomorrow)];
      const { transaction, markers } = tellAll(woken);
      const open = (transaction?.items ?? []).filter((item) => item.settledAtMs === null);
      const isReconciled = markers.some(
        ({ marker }) => marker.kind === "DayReconciled" && `${scheme}:${marker.businessDate}` === transaction?.closesWith,
      );
      const states = statesOf(transaction);
      const isClosed = states.at(-1) === "RECONCILIATION";
      const shown = open.map((item) => ({ day: item.day, state: item.state, isEarly: item.row === 3 }));
      const atClose = [{ day: transaction?.closesWith, state: states.at(-2), isEarly: open[0]?.row === 3 }];
      const early = shown.length === 0 ? [] : [{ day: transaction?.closesWith, state: states.at(-1), isEarly: true }];
      expect(shown).toEqual(isClosed ? atClose : early);
      const isUnresolved =
        states.length > 0 && !["REJECTION_REPORTED", "COMPLETED", "UNPAID", "RECONCILIATION"].includes(states.at(-1) ?? "");
      expect(isReconciled && isUnresolved).toBe(false);
    }),
    runs,
  );
});

test("I15: everything a transaction keeps is bounded", () => {
  const many = fc.array(fc.oneof(anyFact, anyMarker), { minLength: 60, maxLength: 90 });
  fc.assert(
    fc.property(many, (steps) => {
      const { transaction } = tellAll([...completed.slice(0, 3), ...steps]);
      if (transaction === null) return;
      expect(transaction.transitions.length).toBeLessThanOrEqual(transitionsMax);
      expect(transaction.told.length).toBeLessThanOrEqual(toldMax);
      expect(transaction.remarks.last.length).toBeLessThanOrEqual(remarksKept);
      expect(transaction.items.length).toBeLessThanOrEqual(3);
      for (const item of transaction.items) expect(item.lateAnswers.length).toBeLessThanOrEqual(lateAnswersKept);
    }),
    { numRuns: 60 },
  );
});

test("the generator reaches every state that rests, so that these properties are about something", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(sequences, (steps) => {
      seen.add(tellAll(steps).transaction?.state ?? "NONE");
    }),
    { numRuns: 600, seed: 7 },
  );
  expect([...seen].toSorted()).toEqual(
    "ACCEPTED COMPLETED DELIVERED HELD NONE ORPHAN RECEIVED RECONCILIATION REJECTED REJECTION_REPORTED RELEASED UNPAID".split(" "),
  );
});
