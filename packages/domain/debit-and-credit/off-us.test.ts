// Off-us debits where they differ from on-us ones: nobody is sent ACCP, and the connector gets the outcome report until
// it acknowledges it.

import { expect, test } from "vitest";
import {
  bank,
  connector,
  date,
  dayClosed,
  dayReconciled,
  ended,
  hex,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  offUsVerdict,
  openDay,
  release,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  today,
  tomorrow,
} from "../given.fixture.ts";
import { isOutcomeReportAwaited } from "./transaction.ts";

const close: readonly SequenceStep[] = [dayReconciled(), dayClosed()];

test("I6: a good off-us debit is held at once, without a report, and the connector gets its outcome report [D7 HELD] [D7 ACCEPTED]", () => {
  const { outcomes, transaction } = runSteps([...offUsCompleted, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(shortName))).toEqual([
    ["RECEIVED"],
    ["ACCEPTED", "HELD"],
    ["RELEASED", "send:D"],
    ["DELIVERED"],
    ["COMPLETED", "send:O1"],
    [],
  ]);
  expect(transaction).toMatchObject({ flow: "off-us", bank, outcomeReport: { number: 1 } });
});

test("each event of an off-us debit shows the message, time and code of its moment, and all are inbound [6 content] [D8 direction]", () => {
  const events = runSteps(offUsCompleted).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
  const shown = events.map(({ state, payload, messageIdentification, httpStatusCode, direction, flow }) => [
    state,
    payload,
    messageIdentification.slice(-6),
    httpStatusCode,
    direction,
    flow,
  ]);
  expect(shown).toEqual([
    ["RECEIVED", "debit-received", "M1", 202, "INBOUND", "off-us"],
    ["ACCEPTED", "debit-received", "M1", null, "INBOUND", "off-us"],
    ["HELD", "debit-received", "M1", null, "INBOUND", "off-us"],
    ["RELEASED", "inbound-debit", "b2c3dD", null, "INBOUND", "off-us"],
    ["DELIVERED", "inbound-debit", "b2c3dD", 202, "INBOUND", "off-us"],
    ["COMPLETED", "final-report", "R-made", 202, "INBOUND", "off-us"],
  ]);
});

test("the debit goes to the debtor's bank and the outcome report to the connector, without a deadline, also past the close [D7 off-us]", () => {
  const sent = runSteps(offUsCompleted).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    { operation: "inboundDirectDebit", form: "inbound-debit", receiver: bank, reconciliationDay: today, stopsAtMs: null },
    {
      operation: "inboundDirectDebitResponse",
      form: "outcome-report",
      state: "COMPLETED",
      messageIdentification: `${hex}O1`,
      receiver: connector,
      reconciliationDay: null,
      deadlineMs: null,
      stopsAtMs: null,
    },
  ]);
  expect(stateAfter(...offUsDelivered, report("not-made")).last.outputs).toMatchObject([
    { state: "UNPAID" },
    { form: "outcome-report", state: "UNPAID" },
  ]);
});

test("a refused off-us debit ends when the connector has acknowledged the rejection, and its events show that report [D7 REJECTED] [D7 REJECTION_REPORTED]", () => {
  const { outcomes, transaction } = runSteps([...offUsRejected, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(shortName))).toEqual([
    ["RECEIVED"],
    ["REJECTED", "send:O1"],
    ["REJECTION_REPORTED"],
  ]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([
    { payload: "outcome-report", messageIdentification: `${hex}O1`, messageMadeAtMs: 2_000, httpStatusCode: 202 },
  ]);
  expect(transaction?.outcomeReport).toEqual({ number: 1, acknowledgedAtMs: 3_000 });
});

test("off-us no report ACCP or RJCT is sent, so an answer to one is refused", () => {
  for (const given of [offUsHeld, offUsRejected]) {
    expect(stateAfter(...given, ended("A")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
    expect(stateAfter(...given, ended("R")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  }
});

test("an off-us debit keeps the bank known on receipt, also if the verdict names another", () => {
  expect(stateAfter(offUsDebit(), offUsVerdict({ bank: "bank-b" })).transaction.bank).toBe(bank);
});

test("a report before the verdict is foreign unless it comes from the debtor's bank [D4 foreign]", () => {
  const foreign = report("made", { message: { ...report().message, sender: "bank-b" } });
  expect(stateAfter(offUsDebit(), foreign).last).toMatchObject({ reason: "report-foreign" });
  expect(stateAfter(offUsDebit(), report()).last).toMatchObject({ reason: "report-early" });
});

test("I10: a close in REJECTED makes an item of row 5; the outcome report is still attempted, and its late acknowledgement is recorded on the item [D9 REJECTED]", () => {
  const { last, transaction } = stateAfter(...offUsRejected, ...close);
  expect(last.outputs.map(shortName)).toEqual(["RECONCILIATION"]);
  expect(transaction.items).toMatchObject([{ row: 5, cause: null, state: "REJECTED", settledAtMs: null }]);
  expect(isOutcomeReportAwaited(transaction)).toBe(true);
  const late = stateAfter(...offUsRejected, ...close, ended("O"));
  expect(late.last).toMatchObject({ decision: "recorded", reason: "late-answer", outputs: [] });
  expect(late.transaction.items).toMatchObject([{ row: 5, settledAtMs: null, lateAnswers: [{ text: "outcome 1 acknowledged: 202" }] }]);
  expect(isOutcomeReportAwaited(late.transaction)).toBe(false);
  const declined = stateAfter(...offUsRejected, ...close, ended("O", "refused"));
  expect(declined.last).toMatchObject({ decision: "recorded", reason: "late-answer", outputs: [] });
  expect(declined.transaction.items).toMatchObject([{ row: 5, lateAnswers: [{ text: "outcome 1 refused: 400" }] }]);
});

test("a report sent once more after the close repeats the rejection that was sent [D4 otherwise-equal]", () => {
  const again = offUsDebit({ message: identity("M2", "c1", connector) });
  expect(stateAfter(...offUsRejected, ...close, again).last.outputs).toMatchObject([{ form: "report-again", state: "REJECTED" }]);
  expect(stateAfter(...offUsDelivered, ...close, again).last.outputs).toEqual([]);
});

test("a declined outcome report stays parked for a redrive and is never stopped, not even after the close", () => {
  for (const given of [offUsRejected, [...offUsRejected, ...close], offUsCompleted, [...offUsCompleted, ...close]]) {
    expect(stateAfter(...given, ended("O", "refused")).last.outputs).toEqual([]);
  }
});

test.each([
  { state: "RELEASED", given: offUsReleased, outputs: ["RECONCILIATION", "stop:D"] },
  { state: "HELD", given: offUsHeld, outputs: ["RECONCILIATION"] },
  { state: "DELIVERED", given: offUsDelivered, outputs: ["RECONCILIATION"] },
  { state: "RECEIVED", given: [offUsDebit()], outputs: ["RECONCILIATION"] },
])("a close in $state makes an item and sends the connector nothing", ({ given, outputs }) => {
  const { last, transaction } = stateAfter(...given, ...close);
  expect(last.outputs.map(shortName)).toEqual(outputs);
  expect(transaction.outcomeReport).toBeNull();
});

test("an outcome report not acknowledged at the close gets a detached item of row 5, which the acknowledgement settles [7.5] [D7 OUTCOME_UNDELIVERED]", () => {
  const { last, transaction, states } = stateAfter(...offUsCompleted, ...close);
  expect(last).toMatchObject({ decision: "applied", outputs: [] });
  expect(states.at(-1)).toBe("COMPLETED");
  const madeAtMs = stepPosition(offUsCompleted.length).appendedAtMs;
  expect(transaction.items).toMatchObject([
    { row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", day: today, madeAtMs, settledAtMs: null },
  ]);
  const settled = stateAfter(...offUsCompleted, ...close, ended("O"));
  expect(settled.last).toMatchObject({ decision: "applied", reason: "outcome-acknowledged" });
  expect(settled.transaction.items).toMatchObject([{ row: 5, settledAtMs: stepPosition(offUsCompleted.length + 2).appendedAtMs }]);
});

test("an unpaid debit whose outcome report is not acknowledged at the close gets the same item", () => {
  const { transaction } = stateAfter(...offUsDelivered, report("not-made"), ...close);
  expect(transaction.items).toMatchObject([{ row: 5, cause: "OUTCOME_UNDELIVERED", state: "UNPAID" }]);
});

test("a detached item is made once, by the first fact after the marker, and by no close of another day", () => {
  const acknowledged = stateAfter(...offUsCompleted, dayReconciled(), ended("O"));
  expect(acknowledged.transaction.items).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) }]);
  expect(stateAfter(...offUsCompleted, ...close, dayClosed(), report()).transaction.items).toHaveLength(1);
  expect(stateAfter(...offUsCompleted, ...close, ended("O"), dayClosed()).transaction.items).toHaveLength(1);
  expect(stateAfter(...offUsCompleted, dayReconciled("2026-11-23"), dayClosed(tomorrow)).transaction.items).toEqual([]);
  expect(stateAfter(...offUsCompleted, ended("O"), ...close).transaction.items).toEqual([]);
});

test("a not-recoverable answer to an outcome report shows an item of row 3 at once; the close adds none, and a redrive's acknowledgement settles it [7.3]", () => {
  const refused = stateAfter(...offUsCompleted, ended("O", "refused"));
  expect(refused.last).toMatchObject({ decision: "applied", reason: "refused-by-bank", outputs: [] });
  expect(refused.transaction.items).toMatchObject([
    { row: 3, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", evidence: { httpStatusCode: 400 }, settledAtMs: null },
  ]);
  expect(stateAfter(...offUsCompleted, ended("O", "refused"), ...close).transaction.items).toHaveLength(1);
  const settled = stateAfter(...offUsCompleted, ended("O", "refused"), ended("O"));
  expect(settled.transaction.items).toMatchObject([{ row: 3, settledAtMs: expect.any(Number) }]);
  const second = stateAfter(...offUsCompleted, ...close, ended("O", "refused"));
  expect(second.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 } }]);
});

test("a declined outcome report in REJECTED makes an early item, which the close takes over", () => {
  const early = stateAfter(...offUsRejected, ended("O", "refused"));
  expect(early.transaction.items).toMatchObject([{ row: 3, cause: null, state: "REJECTED", settledAtMs: null }]);
  const closed = stateAfter(...offUsRejected, ended("O", "refused"), ...close);
  expect(closed.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 3, settledAtMs: null }] });
  expect(closed.transaction.items).toHaveLength(1);
  const redriven = stateAfter(...offUsRejected, ended("O", "refused"), ended("O"));
  expect(redriven.transaction).toMatchObject({ state: "REJECTION_REPORTED", items: [{ row: 3, settledAtMs: 4_000 }] });
});

test("a further answer to an acknowledged outcome report changes nothing; a declined one is stopped", () => {
  expect(stateAfter(...offUsCompleted, ended("O"), ended("O")).last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(stateAfter(...offUsCompleted, ended("O"), ended("O", "refused")).last.outputs.map(shortName)).toEqual(["stop:O1"]);
  const stopped = stateAfter(...offUsCompleted, ended("O", "stopped"));
  expect(stopped.last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(stopped.transaction).toMatchObject({ outcomeReport: { number: 1, acknowledgedAtMs: null }, items: [] });
});

test("I8: an off-us debit is released by its window and its bank's gate like any other", () => {
  expect(stateAfter(...offUsHeld, release()).last).toMatchObject({ decision: "refused", reason: "window-not-open" });
  expect(stateAfter(...offUsHeld, ...openDay, release({ businessDate: date })).states.at(-1)).toBe("RELEASED");
});
