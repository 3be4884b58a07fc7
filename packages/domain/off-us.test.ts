// Off-us debits, where they differ from on-us ones: nobody is told ACCP, and the connector is told the outcome until it acknowledges it.

import { expect, test } from "vitest";
import {
  after,
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
  placeOf,
  release,
  report,
  short,
  tellAll,
  today,
  tomorrow,
} from "./given.ts";
import type { Step } from "./given.ts";
import { isOutcomeAwaited } from "./transaction.ts";

const close: readonly Step[] = [dayReconciled(), dayClosed()];

test("I6: a good off-us debit is held at once, without a report, and its outcome is told to the connector [D7 HELD] [D7 ACCEPTED]", () => {
  const { outcomes, transaction } = tellAll([...offUsCompleted, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(short))).toEqual([
    ["RECEIVED"],
    ["ACCEPTED", "HELD"],
    ["RELEASED", "send:D"],
    ["DELIVERED"],
    ["COMPLETED", "send:O1"],
    [],
  ]);
  expect(transaction).toMatchObject({ flow: "off-us", bank, outcome: { number: 1 } });
});

test("each event of an off-us debit carries what was true at its moment, and all are inbound [6 content] [D8 direction]", () => {
  const events = tellAll(offUsCompleted).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
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

test("the debit goes to the debtor's bank, the outcome to the connector, without a deadline, also past the close [D7 off-us]", () => {
  const sent = tellAll(offUsCompleted).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    { operation: "inboundDirectDebit", form: "inbound-debit", receiver: bank, closesWith: today, stopsAtMs: null },
    {
      operation: "inboundDirectDebitResponse",
      form: "outcome-report",
      state: "COMPLETED",
      messageIdentification: `${hex}O1`,
      receiver: connector,
      closesWith: null,
      deadlineMs: null,
      stopsAtMs: null,
    },
  ]);
  expect(after(...offUsDelivered, report("not-made")).last.outputs).toMatchObject([
    { state: "UNPAID" },
    { form: "outcome-report", state: "UNPAID" },
  ]);
});

test("a refused off-us debit ends when the connector has acknowledged that; the events show what it was told [D7 REJECTED] [D7 REJECTION_REPORTED]", () => {
  const { outcomes, transaction } = tellAll([...offUsRejected, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(short))).toEqual([["RECEIVED"], ["REJECTED", "send:O1"], ["REJECTION_REPORTED"]]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([
    { payload: "outcome-report", messageIdentification: `${hex}O1`, messageMadeAtMs: 2_000, httpStatusCode: 202 },
  ]);
  expect(transaction?.outcome).toEqual({ number: 1, acknowledgedAtMs: 3_000 });
});

test("no report ACCP or RJCT leaves off-us, so an answer to one is refused", () => {
  for (const given of [offUsHeld, offUsRejected]) {
    expect(after(...given, ended("A")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
    expect(after(...given, ended("R")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  }
});

test("the bank of the debit is that of receipt, also where the verdict names another", () => {
  expect(after(offUsDebit(), offUsVerdict({ bank: "bank-b" })).transaction.bank).toBe(bank);
  expect(after(offUsDebit({ bank: null }), offUsVerdict({ bank: "bank-b" })).transaction.bank).toBe("bank-b");
});

test("a report before the verdict is foreign unless it is from the debtor's bank [D4 foreign]", () => {
  const foreign = report("made", { message: { ...report().message, sender: "bank-b" } });
  expect(after(offUsDebit(), foreign).last).toMatchObject({ reason: "report-foreign" });
  expect(after(offUsDebit(), report()).last).toMatchObject({ reason: "report-early" });
});

test("I10: at the close REJECTED is an item, row 5; the connector is told on, and its late acknowledgement is recorded on the item [D9 REJECTED]", () => {
  const { last, transaction } = after(...offUsRejected, ...close);
  expect(last.outputs.map(short)).toEqual(["RECONCILIATION"]);
  expect(transaction.items).toMatchObject([{ row: 5, cause: null, state: "REJECTED", settledAtMs: null }]);
  expect(isOutcomeAwaited(transaction)).toBe(true);
  const late = after(...offUsRejected, ...close, ended("O"));
  expect(late.last).toMatchObject({ decision: "remarked", reason: "late-answer", outputs: [] });
  expect(late.transaction.items).toMatchObject([{ row: 5, settledAtMs: null, lateAnswers: [{ text: "outcome 1 acknowledged: 202" }] }]);
  expect(isOutcomeAwaited(late.transaction)).toBe(false);
  const declined = after(...offUsRejected, ...close, ended("O", "refused"));
  expect(declined.last).toMatchObject({ decision: "remarked", reason: "late-answer", outputs: [] });
  expect(declined.transaction.items).toMatchObject([{ row: 5, lateAnswers: [{ text: "outcome 1 refused: 400" }] }]);
});

test("a report sent once more after the close repeats the rejection that was told [D4 otherwise-equal]", () => {
  const again = offUsDebit({ message: identity("M2", "c1", connector) });
  expect(after(...offUsRejected, ...close, again).last.outputs).toMatchObject([{ form: "report-again", state: "REJECTED" }]);
  expect(after(...offUsDelivered, ...close, again).last.outputs).toEqual([]);
});

test("a declined outcome stays parked for a redrive: it is never stopped, not even after the close", () => {
  for (const given of [offUsRejected, [...offUsRejected, ...close], offUsCompleted, [...offUsCompleted, ...close]]) {
    expect(after(...given, ended("O", "refused")).last.outputs).toEqual([]);
  }
});

test.each([
  { state: "RELEASED", given: offUsReleased, outputs: ["RECONCILIATION", "stop:D"] },
  { state: "HELD", given: offUsHeld, outputs: ["RECONCILIATION"] },
  { state: "DELIVERED", given: offUsDelivered, outputs: ["RECONCILIATION"] },
  { state: "RECEIVED", given: [offUsDebit()], outputs: ["RECONCILIATION"] },
])("what the close meets in $state is an item, and the connector is told nothing: people will", ({ given, outputs }) => {
  const { last, transaction } = after(...given, ...close);
  expect(last.outputs.map(short)).toEqual(outputs);
  expect(transaction.outcome).toBeNull();
});

test("an outcome not acknowledged at the close is an item beside the ended state, row 5, settled by the acknowledgement [7.5] [D7 OUTCOME_UNDELIVERED]", () => {
  const { last, transaction, states } = after(...offUsCompleted, ...close);
  expect(last).toMatchObject({ decision: "applied", outputs: [] });
  expect(states.at(-1)).toBe("COMPLETED");
  const madeAtMs = placeOf(offUsCompleted.length).appendedAtMs;
  expect(transaction.items).toMatchObject([
    { row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", day: today, madeAtMs, settledAtMs: null },
  ]);
  const settled = after(...offUsCompleted, ...close, ended("O"));
  expect(settled.last).toMatchObject({ decision: "applied", reason: "outcome-acknowledged" });
  expect(settled.transaction.items).toMatchObject([{ row: 5, settledAtMs: placeOf(offUsCompleted.length + 2).appendedAtMs }]);
});

test("an unpaid debit whose outcome is not acknowledged at the close is an item just so", () => {
  const { transaction } = after(...offUsDelivered, report("not-made"), ...close);
  expect(transaction.items).toMatchObject([{ row: 5, cause: "OUTCOME_UNDELIVERED", state: "UNPAID" }]);
});

test("the item is made once, by whatever comes first after the marker, and by no close of another day", () => {
  const acknowledged = after(...offUsCompleted, dayReconciled(), ended("O"));
  expect(acknowledged.transaction.items).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) }]);
  expect(after(...offUsCompleted, ...close, dayClosed(), report()).transaction.items).toHaveLength(1);
  expect(after(...offUsCompleted, ...close, ended("O"), dayClosed()).transaction.items).toHaveLength(1);
  expect(after(...offUsCompleted, dayReconciled("2026-11-23"), dayClosed(tomorrow)).transaction.items).toEqual([]);
  expect(after(...offUsCompleted, ended("O"), ...close).transaction.items).toEqual([]);
});

test("a not-recoverable answer to an outcome shows an item, row 3, at once; the close adds none; a redrive's acknowledgement settles it [7.3]", () => {
  const refused = after(...offUsCompleted, ended("O", "refused"));
  expect(refused.last).toMatchObject({ decision: "applied", reason: "refused-by-bank", outputs: [] });
  expect(refused.transaction.items).toMatchObject([
    { row: 3, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", evidence: { httpStatusCode: 400 }, settledAtMs: null },
  ]);
  expect(after(...offUsCompleted, ended("O", "refused"), ...close).transaction.items).toHaveLength(1);
  const settled = after(...offUsCompleted, ended("O", "refused"), ended("O"));
  expect(settled.transaction.items).toMatchObject([{ row: 3, settledAtMs: expect.any(Number) }]);
  const second = after(...offUsCompleted, ...close, ended("O", "refused"));
  expect(second.transaction.items).toMatchObject([{ row: 3, evidence: { httpStatusCode: 400 } }]);
});

test("REJECTED with a declined outcome is an early item of the state, which the close takes over", () => {
  const early = after(...offUsRejected, ended("O", "refused"));
  expect(early.transaction.items).toMatchObject([{ row: 3, cause: null, state: "REJECTED", settledAtMs: null }]);
  const closed = after(...offUsRejected, ended("O", "refused"), ...close);
  expect(closed.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 3, settledAtMs: null }] });
  expect(closed.transaction.items).toHaveLength(1);
  const redriven = after(...offUsRejected, ended("O", "refused"), ended("O"));
  expect(redriven.transaction).toMatchObject({ state: "REJECTION_REPORTED", items: [{ row: 3, settledAtMs: 4_000 }] });
});

test("a further answer to an acknowledged outcome changes nothing; a declined one is stopped", () => {
  expect(after(...offUsCompleted, ended("O"), ended("O")).last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(after(...offUsCompleted, ended("O"), ended("O", "refused")).last.outputs.map(short)).toEqual(["stop:O1"]);
  const stopped = after(...offUsCompleted, ended("O", "stopped"));
  expect(stopped.last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(stopped.transaction).toMatchObject({ outcome: { number: 1, acknowledgedAtMs: null }, items: [] });
});

test("I8: an off-us debit is released by its bank's window and gate like any other", () => {
  expect(after(...offUsHeld, release()).last).toMatchObject({ decision: "refused", reason: "window-not-open" });
  expect(after(...offUsHeld, ...openDay, release({ businessDate: date })).states.at(-1)).toBe("RELEASED");
});
