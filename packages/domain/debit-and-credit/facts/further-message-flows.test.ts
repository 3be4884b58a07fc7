// docs/spec/decisions.md D4, "Sent to Sluice", for off-us debits and credits, and between the flows.

import { describe, expect, test } from "vitest";
import type { StatusReportReceived } from "../../fact.ts";
import {
  bank,
  connector,
  credit,
  creditDelivered,
  creditFinal,
  creditPending,
  creditRejected,
  creditReport,
  deadlinePassed,
  debit,
  digest,
  ended,
  heldSteps,
  hex,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  uetr,
  verdict,
} from "../../given.fixture.ts";
import { answerIdentification } from "../../ids.ts";

interface Named {
  readonly name: string;
  readonly received: "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  readonly answers: string;
  readonly message: (identification: string, content: string, sender?: string) => SequenceStep;
  readonly reportOf: (outcome?: StatusReportReceived["outcome"], changes?: Partial<StatusReportReceived>) => StatusReportReceived;
  readonly started: readonly SequenceStep[];
  readonly waiting: readonly SequenceStep[];
  readonly delivered: readonly SequenceStep[];
  readonly final: readonly SequenceStep[];
  readonly rejected: readonly SequenceStep[];
  readonly sent: "D" | "C";
  readonly deadlineMs: number;
  readonly ended: string;
}

const flows: readonly Named[] = [
  {
    name: "off-us debit",
    received: "inboundDirectDebit",
    answers: "inboundDirectDebitResponse",
    message: (identification, content, sender = connector) =>
      offUsDebit({ message: identity(identification, content, sender), closesAtMs: 777 }),
    reportOf: report,
    started: [offUsDebit()],
    waiting: offUsReleased,
    delivered: offUsDelivered,
    final: offUsCompleted,
    rejected: offUsRejected,
    sent: "D",
    deadlineMs: 777,
    ended: "COMPLETED",
  },
  {
    name: "credit",
    received: "inboundCreditTransferAuthorization",
    answers: "inboundCreditTransferAuthorizationResponse",
    message: (identification, content, sender = connector) =>
      credit({ message: identity(identification, content, sender), deadlineMs: 888 }),
    reportOf: creditReport,
    started: [credit()],
    waiting: creditPending,
    delivered: creditDelivered,
    final: creditFinal,
    rejected: creditRejected,
    sent: "C",
    deadlineMs: 888,
    ended: "CREDIT_AUTH_RESPONSE_ACCEPTED",
  },
];

describe.each(flows)("$name", (flow) => {
  test("I3: a message of the same identity is a repeat without outputs, or with other content a conflict [D4 repeat] [D4 conflict]", () => {
    for (const given of [flow.started, flow.waiting, flow.final]) {
      expect(stateAfter(...given, flow.message("M1", "c1")).last).toMatchObject({ reason: "repeat", outputs: [] });
      expect(stateAfter(...given, flow.message("M1", "c9")).last).toMatchObject({ reason: "conflict", outputs: [] });
    }
  });

  test("an equal message with another identification is a repeat; an outcome report that was sent is sent once more, naming this message [D4 otherwise-equal]", () => {
    const again = flow.message("M2", "c1");
    for (const given of [flow.started, flow.waiting, flow.delivered]) {
      expect(stateAfter(...given, again).last).toMatchObject({ reason: "repeat-other-identification", outputs: [] });
    }
    const { last } = stateAfter(...flow.final, again);
    expect(last.outputs).toMatchObject([
      {
        operation: flow.answers,
        form: "report-again",
        state: flow.ended,
        messageIdentification: answerIdentification("report-again", connector, flow.received, uetr, "M2", digest),
        receiver: connector,
        about: "M2",
        reconciliationDay: null,
        deadlineMs: flow.deadlineMs,
        stopsAtMs: null,
      },
    ]);
    expect(stateAfter(...flow.rejected, again).last.outputs).toMatchObject([
      { form: "report-again", state: expect.stringMatching(/REJECTED$/) },
    ]);
    expect(stateAfter(...flow.final, again, again).last).toMatchObject({ reason: "repeat", outputs: [] });
  });

  test("a message with other content or sender gets RJCT AM05 to that sender under a key of its own, without a state, event or stage version [D4 AM05]", () => {
    const { last, states } = stateAfter(...flow.waiting, flow.message("M3", "c3"));
    expect(last.outputs).toMatchObject([
      {
        operation: flow.answers,
        form: "duplicate-refused",
        messageIdentification: answerIdentification("duplicate-refused", connector, flow.received, uetr, "M3", digest),
        deliveryKey: answerIdentification("duplicate-refused", connector, flow.received, uetr, "M3", digest),
        receiver: connector,
        about: "M3",
        deadlineMs: flow.deadlineMs,
      },
    ]);
    expect(states).toEqual(stateAfter(...flow.waiting).states);
    expect(stateAfter(...flow.waiting, flow.message("M1", "c1", "other-connector")).last.outputs).toMatchObject([
      { form: "duplicate-refused", receiver: "other-connector" },
    ]);
  });

  test("a report before the message was sent is early and never applied; from another bank or the connector it is foreign [D4 before-release] [D4 foreign]", () => {
    expect(stateAfter(...flow.started, flow.reportOf()).last).toMatchObject({ reason: "report-early", outputs: [] });
    expect(stateAfter(...flow.started, flow.reportOf(), ...flow.delivered.slice(1), flow.reportOf()).last).toMatchObject({
      reason: "report-repeat",
    });
    for (const sender of ["bank-b", connector]) {
      const foreign = flow.reportOf("made", { message: identity("R1", "c1", sender) });
      for (const given of [flow.started, flow.waiting, flow.delivered, flow.final]) {
        expect(stateAfter(...given, foreign).last).toMatchObject({ reason: "report-foreign", outputs: [] });
      }
    }
  });

  test("a report with a wrong original identification is applied, with a warning [D4 originalMessageIdentifiers]", () => {
    const wrong = stateAfter(...flow.delivered, flow.reportOf("made", { originalMessageIdentification: "M1" }));
    expect(wrong.last).toMatchObject({ decision: "applied", reason: "report-original-differs" });
    const right = stateAfter(...flow.delivered, flow.reportOf("made", { originalMessageIdentification: `${hex}${flow.sent}` }));
    expect(right.last).toMatchObject({ decision: "applied", reason: null });
  });

  test("a second report is a repeat with the same outcome, contradicting with another, and late if pending [D4 second-report]", () => {
    const second = (outcome: "made" | "not-made" | "pending") =>
      stateAfter(...flow.final, flow.reportOf(outcome, { message: identity("R9") })).last;
    expect(second("made")).toMatchObject({ reason: "report-repeat", outputs: [] });
    expect(second("not-made")).toMatchObject({ reason: "report-contradicting", outputs: [] });
    expect(second("pending")).toMatchObject({ reason: "report-late", outputs: [] });
    expect(stateAfter(...flow.final, flow.reportOf()).last).toMatchObject({ reason: "report-repeat", outputs: [] });
    const sameName = { message: { ...identity("R-made"), contentHash: "other" } };
    expect(stateAfter(...flow.final, flow.reportOf("made", sameName)).last).toMatchObject({ reason: "conflict", outputs: [] });
    expect(stateAfter(...flow.rejected, flow.reportOf()).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
  });

  test("a report posted at the other flow's address has no effect, and the same one at the right address is applied", () => {
    const about = flow.sent === "C" ? ("debit" as const) : ("credit" as const);
    const wrong = flow.reportOf("made", { about });
    const { last, states } = stateAfter(...flow.delivered, wrong);
    expect(last).toMatchObject({ decision: "recorded", reason: "report-other-flow", outputs: [] });
    expect(states).toEqual(stateAfter(...flow.delivered).states);
    expect(stateAfter(...flow.delivered, wrong, flow.reportOf()).states.at(-1)).toBe(flow.ended);
    expect(stateAfter(...flow.final, wrong).last).toMatchObject({ reason: "report-other-flow" });
  });

  test("a report for an unknown UETR makes an orphan, and is not applied when its transaction comes [D4 orphan]", () => {
    expect(runSteps([flow.reportOf()])).toMatchObject({ transaction: { state: "ORPHAN", flow: null, outcomeReport: null } });
    const { last, transaction } = stateAfter(flow.reportOf(), ...flow.delivered, flow.reportOf());
    expect(last).toMatchObject({ reason: "report-repeat", outputs: [] });
    expect(transaction.transitions[0]).toMatchObject({ stageVersion: 1 });
  });

  test("the verdict on a refused duplicate changes nothing", () => {
    const judged = verdict({ verdict: "refused", validatedMessage: identity("M3", "c3", connector) });
    const { last } = stateAfter(...flow.started, flow.message("M3", "c3"), judged);
    expect(last).toMatchObject({ decision: "refused", reason: "other-message-validated", outputs: [] });
  });
});

test("a debit and a credit under one UETR, or an on-us and an off-us debit, are never the same: the second is refused to its own sender [D4 AM05]", () => {
  const sameCredit = credit();
  const toOffUs = stateAfter(...offUsHeld, sameCredit).last;
  expect(toOffUs.outputs).toMatchObject([
    { form: "duplicate-refused", operation: "inboundCreditTransferAuthorizationResponse", receiver: connector, about: "M1" },
  ]);
  const toCredit = stateAfter(...creditPending, offUsDebit()).last;
  expect(toCredit.outputs).toMatchObject([{ form: "duplicate-refused", operation: "inboundDirectDebitResponse", receiver: connector }]);
  expect(stateAfter(...heldSteps, credit()).last.outputs).toMatchObject([{ operation: "inboundCreditTransferAuthorizationResponse" }]);
  expect(stateAfter(...creditPending, debit()).last.outputs).toMatchObject([{ operation: "outboundDirectDebitResponse", receiver: bank }]);
});

test("answers to a debit and a credit of one identification differ, and neither counts as an answer to the other [D4.2]", () => {
  const other = { message: identity("M5", "c5", connector) };
  const { outcomes } = runSteps([...heldSteps, offUsDebit(other), credit(other), offUsDebit(other), credit(other)]);
  const sent = outcomes.slice(-4).map(({ outputs }) => outputs.map((output) => output.messageIdentification));
  expect(sent.map((identifications) => identifications.length)).toEqual([1, 1, 0, 0]);
  expect(sent[0]).not.toEqual(sent[1]);
});

test("a report sent once more repeats the outcome report that was sent, also from RECONCILIATION", () => {
  const again = credit({ message: identity("M2", "c1", connector) });
  expect(stateAfter(...creditDelivered, deadlinePassed(), again).last.outputs).toMatchObject([
    { form: "report-again", state: "CREDIT_AUTH_RECONCILIATION" },
  ]);
});

test("a delivery of a credit that is declined after the credit ended is stopped again, and the answer to that ends it", () => {
  expect(stateAfter(...creditFinal, ended("C", "refused")).last.outputs.map(shortName)).toEqual(["stop:C"]);
  expect(stateAfter(...creditDelivered, ended("C", "refused")).last.outputs.map(shortName)).toEqual(["stop:C"]);
  expect(stateAfter(...creditDelivered, ended("C", "refused"), ended("C", "stopped")).last.outputs).toEqual([]);
});
