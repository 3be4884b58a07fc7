// An operator withdraws a debit before it was sent: docs/spec/decisions.md D7.12, `D9 withdrawn`.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  stateAfter,
  creditPending,
  dayClosed,
  dayReconciled,
  debit,
  deliveredSteps,
  ended,
  heldSteps,
  offUsHeld,
  openDay,
  stepPosition,
  rejectedSteps,
  release,
  releasedSteps,
  report,
  shortName,
  runSteps,
  today,
} from "../../given.fixture.ts";
import { withdrawal } from "../decisions.fixture.ts";
import { decisionsKept } from "../transaction.ts";

test.each([
  { state: "ACCEPTED", given: acceptedSteps, outputs: ["RECONCILIATION", "stop:A"] },
  { state: "HELD", given: heldSteps, outputs: ["RECONCILIATION"] },
  { state: "HELD", given: [...heldSteps, ...openDay], outputs: ["RECONCILIATION"] },
  { state: "HELD", given: offUsHeld, outputs: ["RECONCILIATION"] },
])(
  "I5: a debit withdrawn in $state ends with an item of row 0, and a delivery that is still attempted is stopped [D9 withdrawn]",
  (row) => {
    const { last, transaction } = stateAfter(...row.given, withdrawal());
    expect(last).toMatchObject({ decision: "applied", reason: null });
    expect(last.outputs.map(shortName)).toEqual(row.outputs);
    const madeAtMs = stepPosition(row.given.length).appendedAtMs;
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
        note: null,
      },
    ]);
    expect(transaction.transitions.at(-1)).toMatchObject({ markerOffset: null, atMs: madeAtMs });
    expect(transaction.outcomeReport).toBeNull();
  },
);

test.each([
  { state: "RECEIVED", given: [debit()] },
  { state: "REJECTED", given: rejectedSteps },
  { state: "RELEASED", given: releasedSteps },
  { state: "DELIVERED", given: deliveredSteps },
  { state: "RECONCILIATION", given: [...heldSteps, dayReconciled(), dayClosed()] },
  { state: "a credit", given: creditPending },
  { state: "a report alone", given: [report()] },
])("a withdrawal in $state is refused and noted, and nothing else changes", ({ given }) => {
  const before = runSteps(given).transaction;
  const { last, transaction } = stateAfter(...given, withdrawal());
  expect(last).toMatchObject({ decision: "refused", reason: "not-in-this-state", outputs: [] });
  const { decisions, usedActions, version, applied } = transaction;
  expect(transaction).toEqual({ ...before, decisions, usedActions, version, applied });
  expect([decisions.length, version]).toEqual([1, (before?.version ?? 0) + 1]);
});

test("the last ten requests of operators are kept with who, why, when and the result", () => {
  const { transaction } = stateAfter(...heldSteps, withdrawal());
  expect(transaction.decisions).toEqual([
    {
      offset: stepPosition(3).offset,
      atMs: stepPosition(3).appendedAtMs,
      kind: "WithdrawalRequested",
      action: withdrawal().action,
      result: "applied",
      why: null,
    },
  ]);
  const many = Array.from({ length: 14 }, (_, index) => withdrawal(`w${index}`));
  const { decisions } = stateAfter(...releasedSteps, ...many).transaction;
  expect(decisions).toHaveLength(decisionsKept);
  expect(decisions.at(-1)).toMatchObject({ action: { id: "w13" }, result: "refused", why: "not-in-this-state" });
});

test("I3: an action counts once, by its id, whatever its result", () => {
  const { last, transaction } = stateAfter(...heldSteps, withdrawal(), withdrawal());
  expect(last).toMatchObject({ decision: "ignored", reason: "already-decided", outputs: [] });
  expect(transaction.decisions).toHaveLength(1);
  // The action was refused once, so it does not count later either; a new one does.
  const early = stateAfter(debit(), withdrawal(), ...heldSteps.slice(1), withdrawal());
  expect(early.last).toMatchObject({ decision: "ignored", reason: "already-decided" });
  expect(stateAfter(debit(), withdrawal(), ...heldSteps.slice(1), withdrawal("w2")).states.at(-1)).toBe("RECONCILIATION");
});

test("I8: of a release and a withdrawal the first in the journal counts", () => {
  const withdrawn = stateAfter(...heldSteps, ...openDay, withdrawal(), release());
  expect(withdrawn.last).toMatchObject({ decision: "refused", reason: "not-in-this-state", outputs: [] });
  const late = stateAfter(...releasedSteps, withdrawal());
  expect(late.last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(late.states.at(-1)).toBe("RELEASED");
});

test("an early item becomes the item of the withdrawal and keeps its evidence, and the parked report is stopped", () => {
  const { transaction, last } = stateAfter(...acceptedSteps, ended("A", "refused"), withdrawal());
  expect(last.outputs.map(shortName)).toEqual(["RECONCILIATION", "stop:A"]);
  expect(transaction.items).toMatchObject([
    { row: 0, cause: "WITHDRAWN", state: "ACCEPTED", evidence: { httpStatusCode: 400 }, settledAtMs: null, day: today },
  ]);
});

test("answers after a withdrawal never change the item's row and cause", () => {
  const stopped = stateAfter(...acceptedSteps, withdrawal(), ended("A", "stopped", { attempts: 3, isReceiverPaused: true }));
  expect(stopped.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", evidence: { attempts: 3 } }]);
  const acknowledged = stateAfter(...acceptedSteps, withdrawal(), ended("A"));
  expect(acknowledged.last).toMatchObject({ decision: "recorded", reason: "late-answer" });
  expect(acknowledged.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", lateAnswers: [{ text: "acknowledged: 202" }] }]);
  const refused = stateAfter(...acceptedSteps, withdrawal(), ended("A", "refused"));
  expect(refused.transaction.items).toMatchObject([{ row: 0, cause: "WITHDRAWN" }]);
  expect(refused.last.outputs.map(shortName)).toEqual(["stop:A"]);
});

test("I10: a withdrawn debit has one item, also after its day's close; after the close a debit cannot be withdrawn", () => {
  expect(stateAfter(...heldSteps, withdrawal(), dayReconciled(), dayClosed()).transaction.items).toHaveLength(1);
  const late = stateAfter(...heldSteps, dayReconciled(), withdrawal());
  expect(late.last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(late.transaction.items).toMatchObject([{ row: 0, cause: "WINDOW_MISSED" }]);
});

test("a withdrawal under an unknown UETR is refused and leaves nothing", () => {
  expect(runSteps([withdrawal()])).toMatchObject({ transaction: null, outcomes: [{ decision: "refused", reason: "nothing-received" }] });
});
