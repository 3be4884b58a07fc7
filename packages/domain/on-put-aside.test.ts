// Records of a transaction in the dead letters: the mark PARKED beside the state (architecture.md, section 7, unreadable records).

import { expect, test } from "vitest";
import {
  accepted,
  after,
  creditPending,
  dayClosed,
  dayReconciled,
  deadlinePassed,
  debit,
  delivered,
  ended,
  held,
  identity,
  openDay,
  placeOf,
  release,
  released,
  report,
  short,
  tellAll,
  verdict,
} from "./given.ts";
import type { Step } from "./given.ts";
import { confirmation, deadLettersReplayed, recordPutAside, resolution, withdrawal } from "./given-decisions.ts";
import { remarksKept } from "./transaction.ts";

const close: readonly Step[] = [dayReconciled(), dayClosed()];

test("a record that is put aside marks its transaction and counts; its state stays, and nothing is sent [D9 parked]", () => {
  const { last, transaction } = after(...held, recordPutAside(), recordPutAside());
  expect(last).toMatchObject({ decision: "applied", reason: "parked", outputs: [] });
  const { offset, appendedAtMs } = placeOf(held.length);
  expect(transaction).toMatchObject({ state: "HELD", parked: { sinceMs: appendedAtMs, offset, records: 2 } });
});

test("on nothing known yet the mark stands on an orphan, which has no state, no event and no remark", () => {
  const { last, transaction, states } = after(recordPutAside());
  expect(last.outputs).toEqual([]);
  expect(states).toEqual([]);
  expect(transaction).toMatchObject({ state: "ORPHAN", flow: null, remarks: { count: 0 }, parked: { records: 1 }, version: 1 });
});

test.each([
  { what: "a debit", given: [recordPutAside()], fact: debit() },
  { what: "a verdict", given: [debit(), recordPutAside()], fact: verdict() },
  { what: "a report", given: [...delivered, recordPutAside()], fact: report() },
  { what: "a message again", given: [...held, recordPutAside()], fact: debit({ message: identity("M2", "c2") }) },
])("$what that follows is put aside too, in order: not judged, counted, and remarked by its name", ({ given, fact }) => {
  const before = after(...given).transaction;
  const { last, transaction } = after(...given, fact);
  expect(last).toMatchObject({ decision: "put-aside", reason: "parked", outputs: [] });
  const { parked, remarks, version, applied, ...rest } = transaction;
  expect(before).toMatchObject(rest);
  expect([parked?.records, remarks.count, version]).toEqual([2, 1, before.version + 1]);
  expect(remarks.last).toMatchObject([{ kind: "put-aside", offset: applied }]);
});

test("what Sluice appends itself, and what operators ask for, is judged as always", () => {
  expect(after(...accepted, recordPutAside(), ended("A")).states.at(-1)).toBe("HELD");
  expect(after(...held, ...openDay, recordPutAside(), release()).states.at(-1)).toBe("RELEASED");
  expect(after(...creditPending, recordPutAside(), deadlinePassed()).states.at(-1)).toBe("CREDIT_AUTH_RECONCILIATION");
  expect(after(...held, recordPutAside(), withdrawal()).transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN" }]);
  const resolved = after(...held, recordPutAside(), ...close, resolution({ needsSecondPerson: true }), confirmation());
  expect(resolved.transaction.items).toMatchObject([{ resolution: { isFinal: true } }]);
});

test("I10: while the mark stands the close makes row 4 of whatever is unresolved; an early item stays what it is [7.4]", () => {
  for (const given of [[debit()], accepted, held, released, delivered]) {
    const { transaction } = after(...given, recordPutAside(), ...close);
    expect(transaction.items).toMatchObject([{ row: 4, cause: null, evidence: null }]);
  }
  expect(after(...creditPending, recordPutAside(), deadlinePassed()).transaction.items).toMatchObject([{ row: 4, cause: null }]);
  expect(after(...released, ended("D", "refused"), recordPutAside(), ...close).transaction.items).toMatchObject([{ row: 3 }]);
  expect(after(recordPutAside(), dayReconciled(), dayClosed()).transaction.items).toEqual([]);
});

test("replayed, the mark is gone, and the records that follow are judged in their order", () => {
  const given = [debit(), recordPutAside(), verdict(), deadLettersReplayed()];
  const cleared = after(...given);
  expect(cleared.last).toMatchObject({ decision: "applied", reason: null, outputs: [] });
  expect(cleared.transaction).toMatchObject({
    state: "RECEIVED",
    parked: null,
    decisions: [{ kind: "DeadLettersReplayed", result: "applied" }],
  });
  expect(after(...given, verdict(), ended("A")).states.at(-1)).toBe("HELD");
  const unknown = after(recordPutAside(), debit(), deadLettersReplayed(), debit(), verdict());
  expect(unknown.states).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(unknown.transaction.transitions[0]?.stageVersion).toBe(1);
  expect(after(...held, ...close, recordPutAside(), deadLettersReplayed()).transaction.items).toMatchObject([{ cause: "WINDOW_MISSED" }]);
});

test("a report that was put aside is no repeat when it is replayed", () => {
  const { last, states } = after(...delivered, recordPutAside(), report(), deadLettersReplayed(), report());
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(states.at(-1)).toBe("COMPLETED");
});

test("a replay asked for where nothing is put aside is ignored and noted", () => {
  const { last, transaction } = after(...held, deadLettersReplayed());
  expect(last).toMatchObject({ decision: "ignored", reason: "nothing-parked", outputs: [] });
  expect(transaction.decisions).toMatchObject([{ result: "ignored", why: "nothing-parked" }]);
  expect(tellAll([deadLettersReplayed()]).transaction).toBeNull();
});

test("I1: a replay says of every record that was put aside that it was, with the mark and after it, so that its dead letter is written again", () => {
  const reports = Array.from({ length: 3 }, (_, index) => report("made", { message: identity(`R${index}`) }));
  const standing = [...delivered, recordPutAside(), ...reports];
  for (const steps of [standing, [...standing, deadLettersReplayed()], [...standing, deadLettersReplayed(), report()]]) {
    const { transaction, outcomes } = tellAll(steps);
    const again = tellAll(steps, transaction);
    const expected = outcomes.map(({ decision }) => (decision === "put-aside" ? "put-aside" : "replayed"));
    expect(again.outcomes.map(({ decision }) => decision)).toEqual(expected);
    expect(again.transaction).toEqual(transaction);
  }
});

test("I15: the remarks of what is put aside are bounded like all others, and the mark alone knows those before", () => {
  const many = Array.from({ length: remarksKept + 5 }, (_, index) => report("made", { message: identity(`R${index}`) }));
  const steps = [...delivered, recordPutAside(), ...many];
  const { transaction, outcomes } = tellAll(steps);
  expect(transaction).toMatchObject({ parked: { records: many.length + 1 }, remarks: { count: many.length } });
  expect(transaction?.remarks.last).toHaveLength(remarksKept);
  const again = tellAll(steps, transaction);
  expect(again.outcomes.filter(({ decision }) => decision === "put-aside")).toHaveLength(many.length);
  expect(
    outcomes
      .flatMap(({ outputs }) => outputs)
      .map(short)
      .at(-1),
  ).toBe("DELIVERED");
});
