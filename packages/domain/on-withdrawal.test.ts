// An operator takes a debit back before it was sent: decisions.md, section 9, row 0, WITHDRAWN.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  creditPending,
  dayClosed,
  dayReconciled,
  debit,
  delivered,
  ended,
  held,
  offUsHeld,
  openDay,
  placeOf,
  rejected,
  release,
  released,
  report,
  short,
  tellAll,
  today,
} from "./given.ts";
import { withdrawal } from "./given-decisions.ts";
import { decisionsKept } from "./transaction.ts";

test.each([
  { state: "ACCEPTED", given: accepted, outputs: ["RECONCILIATION", "stop:A"] },
  { state: "HELD", given: held, outputs: ["RECONCILIATION"] },
  { state: "HELD", given: [...held, ...openDay], outputs: ["RECONCILIATION"] },
  { state: "HELD", given: offUsHeld, outputs: ["RECONCILIATION"] },
])("I5: withdrawn in $state it ends with an item, row 0, and what is still tried of it is stopped [D9 withdrawn]", (row) => {
  const { last, transaction } = after(...row.given, withdrawal());
  expect(last).toMatchObject({ decision: "applied", reason: null });
  expect(last.outputs.map(short)).toEqual(row.outputs);
  const madeAtMs = placeOf(row.given.length).appendedAtMs;
  expect(transaction.items).toEqual([
    {
      day: today,
      row: 0,
      cause: "WITHDRAWN",
      state: row.state,
      madeAtMs,
      evidence: null,
      settledAtMs: null,
      lateAnswers: [],
      resolution: null,
    },
  ]);
  expect(transaction.transitions.at(-1)).toMatchObject({ markerOffset: null, atMs: madeAtMs });
  expect(transaction.outcome).toBeNull();
});

test.each([
  { state: "RECEIVED", given: [debit()] },
  { state: "REJECTED", given: rejected },
  { state: "RELEASED", given: released },
  { state: "DELIVERED", given: delivered },
  { state: "RECONCILIATION", given: [...held, dayReconciled(), dayClosed()] },
  { state: "a credit", given: creditPending },
  { state: "a report alone", given: [report()] },
])("a withdrawal of $state is refused: noted, and nothing else changes", ({ given }) => {
  const before = tellAll(given).transaction;
  const { last, transaction } = after(...given, withdrawal());
  expect(last).toMatchObject({ decision: "refused", reason: "not-in-this-state", outputs: [] });
  const { decisions, version, applied } = transaction;
  expect(transaction).toEqual({ ...before, decisions, version, applied });
  expect([decisions.length, version]).toEqual([1, (before?.version ?? 0) + 1]);
});

test("who decided, why, when and what came of it is kept, and the last ten only", () => {
  const { transaction } = after(...held, withdrawal());
  expect(transaction.decisions).toEqual([
    {
      offset: placeOf(3).offset,
      atMs: placeOf(3).appendedAtMs,
      kind: "WithdrawalRequested",
      action: withdrawal().action,
      result: "applied",
      why: null,
    },
  ]);
  const many = Array.from({ length: 14 }, (_, index) => withdrawal(`w${index}`));
  const { decisions } = after(...released, ...many).transaction;
  expect(decisions).toHaveLength(decisionsKept);
  expect(decisions.at(-1)).toMatchObject({ action: { id: "w13" }, result: "refused", why: "not-in-this-state" });
});

test("I3: an action counts once, by its id, whatever came of it", () => {
  const { last, transaction } = after(...held, withdrawal(), withdrawal());
  expect(last).toMatchObject({ decision: "ignored", reason: "already-decided", outputs: [] });
  expect(transaction.decisions).toHaveLength(1);
  // Refused before its time: the same action does not count later either; a new one does.
  const early = after(debit(), withdrawal(), ...held.slice(1), withdrawal());
  expect(early.last).toMatchObject({ decision: "ignored", reason: "already-decided" });
  expect(after(debit(), withdrawal(), ...held.slice(1), withdrawal("w2")).states.at(-1)).toBe("RECONCILIATION");
});

test("I8: of a release and a withdrawal the one that lies first in the journal counts", () => {
  const withdrawn = after(...held, ...openDay, withdrawal(), release());
  expect(withdrawn.last).toMatchObject({ decision: "refused", reason: "not-in-this-state", outputs: [] });
  const late = after(...released, withdrawal());
  expect(late.last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(late.states.at(-1)).toBe("RELEASED");
});

test("an early item becomes that of the withdrawal and keeps its evidence; the parked report is stopped", () => {
  const { transaction, last } = after(...accepted, ended("A", "refused"), withdrawal());
  expect(last.outputs.map(short)).toEqual(["RECONCILIATION", "stop:A"]);
  expect(transaction.items).toMatchObject([
    { row: 0, cause: "WITHDRAWN", state: "ACCEPTED", evidence: { httpStatusCode: 400 }, settledAtMs: null, day: today },
  ]);
});

test("answers that come after it never change its row and cause", () => {
  const stopped = after(...accepted, withdrawal(), ended("A", "stopped", { attempts: 3, isBankPaused: true }));
  expect(stopped.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", evidence: { attempts: 3 } }]);
  const acknowledged = after(...accepted, withdrawal(), ended("A"));
  expect(acknowledged.last).toMatchObject({ decision: "remarked", reason: "late-answer" });
  expect(acknowledged.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", lateAnswers: [{ text: "acknowledged: 202" }] }]);
  const refused = after(...accepted, withdrawal(), ended("A", "refused"));
  expect(refused.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN" }]);
  expect(refused.last.outputs.map(short)).toEqual(["stop:A"]);
});

test("I10: a withdrawn debit has one item, also after its day's close; one that the close met first is not withdrawn", () => {
  expect(after(...held, withdrawal(), dayReconciled(), dayClosed()).transaction.items).toHaveLength(1);
  const late = after(...held, dayReconciled(), withdrawal());
  expect(late.last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(late.transaction.items).toMatchObject([{ row: 0, cause: "WINDOW_MISSED" }]);
});

test("a withdrawal of what nobody knows is refused and leaves nothing", () => {
  expect(tellAll([withdrawal()])).toMatchObject({ transaction: null, outcomes: [{ decision: "refused", reason: "nothing-received" }] });
});
