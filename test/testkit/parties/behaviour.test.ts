import { describe, expect, it } from "vitest";
import { createPartyBehaviour, type PartyRequest } from "./behaviour.ts";
import { acknowledge, refuse, reportSettled, reportRejected, reportPending, staySilent } from "./script.ts";

const debit: PartyRequest = { operation: "inboundDirectDebit", webhookId: "d1D", uetr: "d1", atMs: 0 };
const report: PartyRequest = { operation: "outboundDirectDebitResponse", webhookId: "d1A", uetr: "d1", atMs: 0 };
const credit: PartyRequest = { operation: "inboundCreditTransferAuthorization", webhookId: "c1C", uetr: "c1", atMs: 0 };

describe("a bank's behaviour", () => {
  it("acknowledges everything and reports a debit as settled, where no rule matches", () => {
    const bank = createPartyBehaviour([]);
    expect(bank.react(report)).toEqual({ attempt: 1, answer: acknowledge(), reports: [] });
    expect(bank.react(debit)).toEqual({ attempt: 1, answer: acknowledge(), reports: [reportSettled()] });
  });

  it("acts on a debit once, however often it is repeated", () => {
    const bank = createPartyBehaviour([]);
    bank.react(debit);
    expect(bank.react(debit)).toEqual({ attempt: 2, answer: acknowledge(), reports: [] });
  });

  it("reports on a credit once, as scripted", () => {
    const bank = createPartyBehaviour([{ uetr: "c1", reports: [reportPending(), reportRejected({ code: "CANC" })] }]);
    expect(bank.react(credit).reports).toMatchObject([{ outcome: "pending" }, { outcome: "not-made", code: "CANC" }]);
    expect(bank.react(credit).reports).toEqual([]);
    expect(bank.react({ ...credit, webhookId: "c2C", uetr: "c2" }).reports).toEqual([reportSettled()]);
  });

  it("does not answer between the two times of a rule, and answers again after them", () => {
    const bank = createPartyBehaviour([{ betweenMs: [1_000, 2_000], answer: staySilent }]);
    expect([999, 1_000, 1_999, 2_000].map((atMs) => bank.react({ ...report, atMs }).answer.kind)).toEqual([
      "answer",
      "silent",
      "silent",
      "answer",
    ]);
  });

  it("acts on the first attempt that it acknowledges, not on one that it refuses", () => {
    const bank = createPartyBehaviour([{ uetr: "d1", attempts: [1, 2], answer: refuse(503, "2") }]);
    expect(bank.react(debit).reports).toEqual([]);
    expect(bank.react(debit).answer).toEqual(refuse(503, "2"));
    expect(bank.react(debit)).toEqual({ attempt: 3, answer: acknowledge(), reports: [reportSettled()] });
  });

  it("acts without an acknowledgement if the script says so", () => {
    const bank = createPartyBehaviour([{ uetr: "d1", answer: staySilent, isActedOn: true }]);
    expect(bank.react(debit).reports).toEqual([reportSettled()]);
    expect(bank.react(debit).reports).toEqual([]);
  });

  it("takes the answer and the reports each from the first rule that has them", () => {
    const bank = createPartyBehaviour([
      { uetr: "d1", reports: [reportRejected()] },
      { operation: "inboundDirectDebit", answer: acknowledge({ afterMs: 50 }), reports: [] },
    ]);
    expect(bank.react(debit)).toEqual({ attempt: 1, answer: acknowledge({ afterMs: 50 }), reports: [reportRejected()] });
    expect(bank.react({ ...debit, webhookId: "d2D", uetr: "d2" }).reports).toEqual([]);
    expect(bank.react(report).answer).toEqual(acknowledge());
  });

  it("applies rules that are added later before the present ones", () => {
    const bank = createPartyBehaviour([{ answer: refuse(500) }]);
    bank.prepend([{ uetr: "d1", answer: acknowledge() }]);
    expect(bank.react(report).answer).toEqual(acknowledge());
    expect(bank.react({ ...report, uetr: "d2" }).answer).toEqual(refuse(500));
  });
});
