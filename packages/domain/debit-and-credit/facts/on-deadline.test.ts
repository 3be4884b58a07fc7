// The deadline of a credit: docs/spec/decisions.md D7.32, and the table of items in D9.

import { expect, test } from "vitest";
import {
  stateAfter,
  connector,
  credit,
  creditDelivered,
  creditFailed,
  creditFinal,
  creditPending,
  creditRejected,
  creditReport,
  date,
  deadlineMs,
  deadlinePassed,
  debit,
  ended,
  hex,
  shortName,
  runSteps,
} from "../../given.fixture.ts";
import { isOutcomeReportAwaited } from "../transaction.ts";

const day = `ZA_EFT:${date}`;
const doubtful = ended("C", "refused", { mayHaveBeenTaken: true });

test.each([
  { state: "RECEIVED", given: [credit({ deadlineMs: 2_000 })], fact: deadlinePassed(2_000), row: 4, cause: null, stops: [] },
  { state: "DELIVERY_PENDING", given: creditPending, fact: deadlinePassed(), row: null, cause: null, stops: ["stop:C"] },
  { state: "DELIVERY_PENDING", given: [...creditPending, doubtful], fact: deadlinePassed(), row: 3, cause: null, stops: ["stop:C"] },
  { state: "DELIVERED", given: creditDelivered, fact: deadlinePassed(), row: 9, cause: null, stops: [] },
  {
    state: "DELIVERED",
    given: [...creditDelivered, creditReport("pending")],
    fact: deadlinePassed(),
    row: 9,
    cause: "PDNG",
    stops: [],
  },
])(
  "I10: the deadline makes an item, row $row, cause $cause, of $state, and tells the connector PDNG [7.4] [7.9] [D9 items] [D7 CREDIT_AUTH_RECONCILIATION]",
  (one) => {
    const { last, transaction } = stateAfter(...one.given, one.fact);
    expect(last.decision).toBe("applied");
    expect(last.outputs.map(shortName)).toEqual(["CREDIT_AUTH_RECONCILIATION", "send:O1", ...one.stops]);
    expect(last.outputs[1]).toMatchObject({ form: "outcome-report", state: "CREDIT_AUTH_RECONCILIATION", receiver: connector });
    const state = `CREDIT_AUTH_${one.state}`;
    expect(transaction.items).toMatchObject([{ row: one.row, cause: one.cause, state, day, settledAtMs: null }]);
    expect(transaction.items).toHaveLength(1);
  },
);

test("the event of the deadline shows the last message [3 transitions]", () => {
  expect(stateAfter(credit({ deadlineMs: 2_000 }), deadlinePassed(2_000)).last.outputs[0]).toMatchObject({
    payload: "credit-received",
    messageIdentification: "M1",
  });
  expect(stateAfter(...creditPending, deadlinePassed()).last.outputs[0]).toMatchObject({
    payload: "inbound-credit",
    messageIdentification: `${hex}C`,
    messageMadeAtMs: 2_000,
    httpStatusCode: null,
    wasHeld: false,
    carryOvers: 0,
  });
});

test("a DeadlinePassed is refused if it names another deadline or was appended before it", () => {
  expect(stateAfter(...creditPending, deadlinePassed(2_999)).last).toMatchObject({
    decision: "refused",
    reason: "other-deadline",
    outputs: [],
  });
  const early = stateAfter(credit({ deadlineMs: 2_001 }), deadlinePassed(2_001));
  expect(early.last).toMatchObject({ decision: "refused", reason: "too-early", outputs: [] });
  expect(early.states).toEqual(["CREDIT_AUTH_RECEIVED"]);
  expect(stateAfter(debit(), deadlinePassed()).last).toMatchObject({ decision: "refused", reason: "other-deadline" });
  expect(runSteps([creditReport(), deadlinePassed()]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "other-deadline" });
});

test("a second DeadlinePassed changes nothing", () => {
  const { last, transaction } = stateAfter(...creditPending, deadlinePassed(), deadlinePassed());
  expect(last).toMatchObject({ decision: "ignored", outputs: [] });
  expect(transaction.items).toHaveLength(1);
});

test("the answer to the stop sets row 7 where no HTTP answer ever came, 8 where any did [7.7] [7.8]", () => {
  const silent = stateAfter(...creditPending, deadlinePassed(), ended("C", "stopped", { anyAnswer: false, attempts: 4 }));
  expect(silent.transaction.items).toMatchObject([{ row: 7, evidence: { attempts: 4 } }]);
  const answered = stateAfter(...creditPending, deadlinePassed(), ended("C", "stopped", { anyAnswer: true, isBreakerOpen: true }));
  expect(answered.transaction.items).toMatchObject([{ row: 8, cause: "BREAKER_OPEN" }]);
});

test("an answer of the bank after the deadline is recorded on the item; the state stays, and the connector is sent nothing more [D4 late]", () => {
  const reported = stateAfter(...creditDelivered, deadlinePassed(), creditReport());
  expect(reported.last).toMatchObject({ decision: "recorded", reason: "report-late", outputs: [] });
  expect(reported.states.at(-1)).toBe("CREDIT_AUTH_RECONCILIATION");
  expect(reported.transaction.items).toMatchObject([{ row: 9, lateAnswers: [{ text: "report: made" }] }]);
  const acknowledged = stateAfter(...creditPending, deadlinePassed(), ended("C"));
  expect(acknowledged.transaction.items).toMatchObject([{ row: 8, lateAnswers: [{ text: "acknowledged: 202" }] }]);
  const refused = stateAfter(...creditPending, deadlinePassed(), ended("C", "refused"));
  expect(refused.transaction.items).toMatchObject([{ row: 3 }]);
  expect(refused.last.outputs.map(shortName)).toEqual(["stop:C"]);
});

test.each([
  { state: "REJECTED", given: creditRejected },
  { state: "RESPONSE_ACCEPTED", given: creditFinal },
  { state: "DELIVERY_FAILURE", given: creditFailed },
])(
  "an outcome not acknowledged at the deadline is an item beside $state, row 5, settled by the acknowledgement [D7 OUTCOME_UNDELIVERED]",
  (one) => {
    const { last, transaction, states } = stateAfter(...one.given, deadlinePassed());
    expect(last).toMatchObject({ decision: "applied", reason: "outcome-undelivered", outputs: [] });
    expect(states.at(-1)).toBe(`CREDIT_AUTH_${one.state}`);
    expect(transaction.items).toMatchObject([{ row: 5, cause: "OUTCOME_UNDELIVERED", day, settledAtMs: null }]);
    expect(stateAfter(...one.given, deadlinePassed(), deadlinePassed()).last).toMatchObject({ decision: "ignored" });
    const settled = stateAfter(...one.given, deadlinePassed(), ended("O")).transaction;
    expect(settled.items).toMatchObject([{ row: 5, settledAtMs: expect.any(Number) }]);
    expect(isOutcomeReportAwaited(settled)).toBe(false);
    expect(stateAfter(...one.given, ended("O"), deadlinePassed()).transaction.items).toEqual([]);
  },
);

test("a PDNG that the connector declines gets a detached item besides that of the deadline, and its acknowledgement settles only the detached one", () => {
  const refused = stateAfter(...creditDelivered, deadlinePassed(), ended("O", "refused"));
  expect(refused.transaction.items).toMatchObject([
    { row: 9, settledAtMs: null },
    { row: 3, cause: "OUTCOME_UNDELIVERED", settledAtMs: null },
  ]);
  const settled = stateAfter(...creditDelivered, deadlinePassed(), ended("O", "refused"), ended("O"));
  expect(settled.transaction.items).toMatchObject([
    { row: 9, settledAtMs: null },
    { row: 3, settledAtMs: expect.any(Number) },
  ]);
  const stopped = stateAfter(...creditPending, deadlinePassed(), ended("O", "refused"), ended("C", "stopped", { anyAnswer: false }));
  expect(stopped.transaction.items).toMatchObject([{ row: 7 }, { row: 3, evidence: { httpStatusCode: 400 } }]);
  const noted = stateAfter(...creditPending, deadlinePassed(), ended("O", "refused"), creditReport());
  expect(noted.transaction.items.map((item) => item.lateAnswers.length)).toEqual([1, 0]);
});

test("only DeadlinePassed makes the deadline pass: a report appended after that time is still applied if it comes first in the journal", () => {
  expect(stateAfter(...creditDelivered, creditReport("made")).transaction.transitions.at(-1)?.atMs).toBeGreaterThan(deadlineMs);
  expect(stateAfter(...creditDelivered, creditReport("made"), deadlinePassed()).states.at(-1)).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
});
