// decisions.md, section 4, "Sent to Sluice", for off-us debits and credits, and between the flows.

import { describe, expect, test } from "vitest";
import type { StatusReportReceived } from "./fact.ts";
import {
  after,
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
  held,
  hex,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  report,
  short,
  tellAll,
  uetr,
  verdict,
} from "./given.ts";
import type { Step } from "./given.ts";
import { answerIdentification } from "./ids.ts";

interface Named {
  readonly name: string;
  readonly received: "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  readonly answers: string;
  readonly message: (identification: string, content: string, sender?: string) => Step;
  readonly reportOf: (outcome?: StatusReportReceived["outcome"], changes?: Partial<StatusReportReceived>) => StatusReportReceived;
  readonly started: readonly Step[];
  readonly waiting: readonly Step[];
  readonly delivered: readonly Step[];
  readonly final: readonly Step[];
  readonly rejected: readonly Step[];
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
  test("I3: same identity: a repeat without outputs, or with other content a conflict [D4 repeat] [D4 conflict]", () => {
    for (const given of [flow.started, flow.waiting, flow.final]) {
      expect(after(...given, flow.message("M1", "c1")).last).toMatchObject({ reason: "repeat", outputs: [] });
      expect(after(...given, flow.message("M1", "c9")).last).toMatchObject({ reason: "conflict", outputs: [] });
    }
  });

  test("same UETR, other identification, otherwise equal: a repeat; its outcome is sent once more if it was told, naming this message [D4 otherwise-equal]", () => {
    const again = flow.message("M2", "c1");
    for (const given of [flow.started, flow.waiting, flow.delivered]) {
      expect(after(...given, again).last).toMatchObject({ reason: "repeat-other-identification", outputs: [] });
    }
    const { last } = after(...flow.final, again);
    expect(last.outputs).toMatchObject([
      {
        operation: flow.answers,
        form: "report-again",
        state: flow.ended,
        messageIdentification: answerIdentification("Y", connector, flow.received, uetr, "M2", digest),
        receiver: connector,
        about: "M2",
        closesWith: null,
        deadlineMs: flow.deadlineMs,
        stopsAtMs: null,
      },
    ]);
    expect(after(...flow.rejected, again).last.outputs).toMatchObject([
      { form: "report-again", state: expect.stringMatching(/REJECTED$/) },
    ]);
    expect(after(...flow.final, again, again).last).toMatchObject({ reason: "repeat", outputs: [] });
  });

  test("same UETR, other content or sender: RJCT AM05 to that sender, with an own key; no state, event or stage version [D4 AM05]", () => {
    const { last, states } = after(...flow.waiting, flow.message("M3", "c3"));
    expect(last.outputs).toMatchObject([
      {
        operation: flow.answers,
        form: "duplicate-refused",
        messageIdentification: answerIdentification("X", connector, flow.received, uetr, "M3", digest),
        deliveryKey: answerIdentification("X", connector, flow.received, uetr, "M3", digest),
        receiver: connector,
        about: "M3",
        deadlineMs: flow.deadlineMs,
      },
    ]);
    expect(states).toEqual(after(...flow.waiting).states);
    expect(after(...flow.waiting, flow.message("M1", "c1", "other-connector")).last.outputs).toMatchObject([
      { form: "duplicate-refused", receiver: "other-connector" },
    ]);
  });

  test("a report before it was sent is early and never applied; from another bank it is foreign, from the connector too [D4 before-release] [D4 foreign]", () => {
    expect(after(...flow.started, flow.reportOf()).last).toMatchObject({ reason: "report-early", outputs: [] });
    expect(after(...flow.started, flow.reportOf(), ...flow.delivered.slice(1), flow.reportOf()).last).toMatchObject({
      reason: "report-repeat",
    });
    for (const sender of ["bank-b", connector]) {
      const foreign = flow.reportOf("made", { message: identity("R1", "c1", sender) });
      for (const given of [flow.started, flow.waiting, flow.delivered, flow.final]) {
        expect(after(...given, foreign).last).toMatchObject({ reason: "report-foreign", outputs: [] });
      }
    }
  });

  test("a report with a wrong original identification is applied, with a warning [D4 originalMessageIdentifiers]", () => {
    const wrong = after(...flow.delivered, flow.reportOf("made", { originalMessageIdentification: "M1" }));
    expect(wrong.last).toMatchObject({ decision: "applied", reason: "report-original-differs" });
    const right = after(...flow.delivered, flow.reportOf("made", { originalMessageIdentification: `${hex}${flow.sent}` }));
    expect(right.last).toMatchObject({ decision: "applied", reason: null });
  });

  test("a second report: the same outcome is a repeat, another one contradicting, pending late [D4 second-report]", () => {
    const second = (outcome: "made" | "not-made" | "pending") =>
      after(...flow.final, flow.reportOf(outcome, { message: identity("R9") })).last;
    expect(second("made")).toMatchObject({ reason: "report-repeat", outputs: [] });
    expect(second("not-made")).toMatchObject({ reason: "report-contradicting", outputs: [] });
    expect(second("pending")).toMatchObject({ reason: "report-late", outputs: [] });
    expect(after(...flow.final, flow.reportOf()).last).toMatchObject({ reason: "report-repeat", outputs: [] });
    const sameName = { message: { ...identity("R-made"), contentHash: "other" } };
    expect(after(...flow.final, flow.reportOf("made", sameName)).last).toMatchObject({ reason: "conflict", outputs: [] });
    expect(after(...flow.rejected, flow.reportOf()).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
  });

  test("a report posted at the other flow's address has no effect, and the same one at the right address is applied", () => {
    const about = flow.sent === "C" ? ("debit" as const) : ("credit" as const);
    const wrong = flow.reportOf("made", { about });
    const { last, states } = after(...flow.delivered, wrong);
    expect(last).toMatchObject({ decision: "remarked", reason: "report-other-flow", outputs: [] });
    expect(states).toEqual(after(...flow.delivered).states);
    expect(after(...flow.delivered, wrong, flow.reportOf()).states.at(-1)).toBe(flow.ended);
    expect(after(...flow.final, wrong).last).toMatchObject({ reason: "report-other-flow" });
  });

  test("a report for an unknown UETR is an orphan, and stays unapplied when its transaction comes [D4 orphan]", () => {
    expect(tellAll([flow.reportOf()])).toMatchObject({ transaction: { state: "ORPHAN", flow: null, outcome: null } });
    const { last, transaction } = after(flow.reportOf(), ...flow.delivered, flow.reportOf());
    expect(last).toMatchObject({ reason: "report-repeat", outputs: [] });
    expect(transaction.transitions[0]).toMatchObject({ stageVersion: 1 });
  });

  test("a refused message's own verdict changes nothing", () => {
    const judged = verdict({ verdict: "refused", judged: identity("M3", "c3", connector) });
    const { last } = after(...flow.started, flow.message("M3", "c3"), judged);
    expect(last).toMatchObject({ decision: "refused", reason: "other-message-judged", outputs: [] });
  });
});

test("a debit and a credit under one UETR, or an on-us and an off-us debit: the second is refused to its own sender, though all is equal [D4 AM05]", () => {
  const sameCredit = credit();
  const toOffUs = after(...offUsHeld, sameCredit).last;
  expect(toOffUs.outputs).toMatchObject([
    { form: "duplicate-refused", operation: "inboundCreditTransferAuthorizationResponse", receiver: connector, about: "M1" },
  ]);
  const toCredit = after(...creditPending, offUsDebit()).last;
  expect(toCredit.outputs).toMatchObject([{ form: "duplicate-refused", operation: "inboundDirectDebitResponse", receiver: connector }]);
  expect(after(...held, credit()).last.outputs).toMatchObject([{ operation: "inboundCreditTransferAuthorizationResponse" }]);
  expect(after(...creditPending, debit()).last.outputs).toMatchObject([{ operation: "outboundDirectDebitResponse", receiver: bank }]);
});

test("answers to a debit and to a credit of one identification differ, and neither makes the other look answered", () => {
  const other = { message: identity("M5", "c5", connector) };
  const { outcomes } = tellAll([...held, offUsDebit(other), credit(other), offUsDebit(other), credit(other)]);
  const sent = outcomes.slice(-4).map(({ outputs }) => outputs.map((output) => output.messageIdentification));
  expect(sent.map((identifications) => identifications.length)).toEqual([1, 1, 0, 0]);
  expect(sent[0]).not.toEqual(sent[1]);
});

test("a report sent once more repeats the outcome that was told, also from RECONCILIATION", () => {
  const again = credit({ message: identity("M2", "c1", connector) });
  expect(after(...creditDelivered, deadlinePassed(), again).last.outputs).toMatchObject([
    { form: "report-again", state: "CREDIT_AUTH_RECONCILIATION" },
  ]);
});

test("a delivery of a credit that is declined after it had finished is stopped again, and the answer to that ends it", () => {
  expect(after(...creditFinal, ended("C", "refused")).last.outputs.map(short)).toEqual(["stop:C"]);
  expect(after(...creditDelivered, ended("C", "refused")).last.outputs.map(short)).toEqual(["stop:C"]);
  expect(after(...creditDelivered, ended("C", "refused"), ended("C", "stopped")).last.outputs).toEqual([]);
});
