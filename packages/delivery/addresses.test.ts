import { sampleBank, sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { operationNamed, addressOf } from "./addresses.ts";

describe("addresses", () => {
  const bank = sampleBank({ id: "first", baseUrl: "http://bank/base", eventsUrl: "http://events/of/bank" });
  const connector = sampleConnector({ baseUrl: "http://connector" });

  it("each operation has its path below the base address of a bank or a connector [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [4 event-posting] [D2 inboundCreditTransferAuthorization] [D2 outcome]", () => {
    expect(addressOf(bank, "outboundDirectDebitResponse")?.url.href).toBe("http://bank/base/outbound/direct-debit-response");
    expect(addressOf(bank, "inboundDirectDebit")?.url.href).toBe("http://bank/base/inbound/direct-debit");
    expect(addressOf(bank, "inboundCreditTransferAuthorization")?.url.href).toBe("http://bank/base/inbound/credit-transfer-authorisation");
    expect(addressOf(bank, "events")?.url.href).toBe("http://events/of/bank/events");
    expect(addressOf(connector, "inboundDirectDebitResponse")?.url.href).toBe("http://connector/inbound/direct-debit-response");
    expect(addressOf(connector, "inboundCreditTransferAuthorizationResponse")?.url.href).toBe(
      "http://connector/inbound/credit-transfer-authorisation-response",
    );
  });

  it("a receiver may name another address for an operation, and others keep theirs", () => {
    const apart = { ...bank, operationUrls: { inboundDirectDebit: "http://debits/x?y=1" } };
    expect(addressOf(apart, "inboundDirectDebit")?.url.href).toBe("http://debits/x?y=1");
    expect(addressOf(apart, "outboundDirectDebitResponse")?.url.href).toBe("http://bank/base/outbound/direct-debit-response");
    const told = sampleConnector({ operationUrls: { inboundDirectDebitResponse: "http://told" } });
    expect(addressOf(told, "inboundDirectDebitResponse")?.url.href).toBe("http://told/");
  });

  it("a connector has no address for events, nor has a bank that gives none", () => {
    expect(addressOf(connector, "events")).toBeNull();
    expect(addressOf({ ...bank, eventsUrl: null }, "events")).toBeNull();
  });

  it("an operation that is not known has none", () => {
    expect(operationNamed("inboundDirectDebitResponse")).toBe("inboundDirectDebitResponse");
    for (const name of ["events", "toString", "inboundCreditTransfer", ""]) expect(operationNamed(name)).toBeNull();
  });
});
