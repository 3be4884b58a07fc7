import { describe, expect, it } from "vitest";
import { createBankBehaviour, type SeenRequest } from "./bank-behaviour.ts";
import { acknowledge, refuse, reportMade, reportNotMade, reportPending, staySilent } from "./bank-script.ts";

const debit: SeenRequest = { operation: "inboundDirectDebit", webhookId: "d1D", uetr: "d1", atMs: 0 };
const report: SeenRequest = { operation: "outboundDirectDebitResponse", webhookId: "d1A", uetr: "d1", atMs: 0 };
const credit: SeenRequest = { operation: "inboundCreditTransferAuthorization", webhookId: "c1C", uetr: "c1", atMs: 0 };

describe("a bank's behaviour", () => {
  it("acknowledges everything and reports a debit as made, where no rule speaks", () => {
    const bank = createBankBehaviour([]);
    expect(bank.react(report)).toEqual({ attempt: 1, answer: acknowledge(), reports: [] });
    expect(bank.react(debit)).toEqual({ attempt: 1, answer: acknowledge(), reports: [reportMade()] });
  });

  it("acts on a debit once, however often it is repeated", () => {
    const bank = createBankBehaviour([]);
    bank.react(debit);
    expect(bank.react(debit)).toEqual({ attempt: 2, answer: acknowledge(), reports: [] });
  });

  it("reports on a credit as on a debit, once, as scripted", () => {
    const bank = createBankBehaviour([{ uetr: "c1", reports: [reportPending(), reportNotMade({ code: "CANC" })] }]);
    expect(bank.react(credit).reports).toMatchObject([{ outcome: "pending" }, { outcome: "not-made", code: "CANC" }]);
    expect(bank.react(credit).reports).toEqual([]);
    expect(bank.react({ ...credit, webhookId: "c2C", uetr: "c2" }).reports).toEqual([reportMade()]);
  });

  it("is down between two times, and back after them", () => {
    const bank = createBankBehaviour([{ betweenMs: [1_000, 2_000], answer: staySilent }]);
    expect([999, 1_000, 1_999, 2_000].map((atMs) => bank.react({ ...report, atMs }).answer.kind)).toEqual([
      "answer",
      "silent",
      "silent",
      "answer",
    ]);
  });

  it("acts with the first attempt that it acknowledges, not with one that it refused", () => {
    const bank = createBankBehaviour([{ uetr: "d1", attempts: [1, 2], answer: refuse(503, "2") }]);
    expect(bank.react(debit).reports).toEqual([]);
    expect(bank.react(debit).answer).toEqual(refuse(503, "2"));
    expect(bank.react(debit)).toEqual({ attempt: 3, answer: acknowledge(), reports: [reportMade()] });
  });

  it("acts without acknowledging where the script says so", () => {
    const bank = createBankBehaviour([{ uetr: "d1", answer: staySilent, isActedOn: true }]);
    expect(bank.react(debit).reports).toEqual([reportMade()]);
    expect(bank.react(debit).reports).toEqual([]);
  });

  it("takes the answer and the reports each from the first rule that says them", () => {
    const bank = createBankBehaviour([
      { uetr: "d1", reports: [reportNotMade()] },
      { operation: "inboundDirectDebit", answer: acknowledge({ afterMs: 50 }), reports: [] },
    ]);
    expect(bank.react(debit)).toEqual({ attempt: 1, answer: acknowledge({ afterMs: 50 }), reports: [reportNotMade()] });
    expect(bank.react({ ...debit, webhookId: "d2D", uetr: "d2" }).reports).toEqual([]);
    expect(bank.react(report).answer).toEqual(acknowledge());
  });

  it("obeys rules added later before those that stand", () => {
    const bank = createBankBehaviour([{ answer: refuse(500) }]);
    bank.prepend([{ uetr: "d1", answer: acknowledge() }]);
    expect(bank.react(report).answer).toEqual(acknowledge());
    expect(bank.react({ ...report, uetr: "d2" }).answer).toEqual(refuse(500));
  });
});
