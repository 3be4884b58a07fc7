import { describe, expect, it } from "vitest";
import { createBankBehaviour, type SeenRequest } from "./bank-behaviour.ts";
import { acknowledge, refuse, reportMade, reportNotMade, staySilent } from "./bank-script.ts";

const debit: SeenRequest = { operation: "inboundDirectDebit", webhookId: "d1D", uetr: "d1" };
const report: SeenRequest = { operation: "outboundDirectDebitResponse", webhookId: "d1A", uetr: "d1" };

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
