import { sampleBank, sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { operationNamed, urlOf } from "./addresses.ts";

describe("addresses", () => {
  const bank = sampleBank({ id: "first", baseUrl: "http://bank/base", eventsUrl: "http://events/of/bank" });
  const connector = sampleConnector({ baseUrl: "http://connector" });

  it("each operation has its path below the base address of a bank or a connector [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [4 event-posting] [D2 inboundCreditTransferAuthorization] [D2 outcome]", () => {
    expect(urlOf(bank, "outboundDirectDebitResponse")?.href).toBe("http://bank/base/outbound/direct-debit-response");
    expect(urlOf(bank, "inboundDirectDebit")?.href).toBe("http://bank/base/inbound/direct-debit");
    expect(urlOf(bank, "inboundCreditTransferAuthorization")?.href).toBe("http://bank/base/inbound/credit-transfer-authorisation");
    expect(urlOf(bank, "events")?.href).toBe("http://events/of/bank/events");
    expect(urlOf(connector, "inboundDirectDebitResponse")?.href).toBe("http://connector/inbound/direct-debit-response");
    expect(urlOf(connector, "inboundCreditTransferAuthorizationResponse")?.href).toBe(
      "http://connector/inbound/credit-transfer-authorisation-response",
    );
  });

  it("a receiver may name another address for an operation, and others keep theirs", () => {
    const apart = { ...bank, operationUrls: { inboundDirectDebit: "http://debits/x?y=1" } };
    expect(urlOf(apart, "inboundDirectDebit")?.href).toBe("http://debits/x?y=1");
    expect(urlOf(apart, "outboundDirectDebitResponse")?.href).toBe("http://bank/base/outbound/direct-debit-response");
    const told = sampleConnector({ operationUrls: { inboundDirectDebitResponse: "http://told" } });
    expect(urlOf(told, "inboundDirectDebitResponse")?.href).toBe("http://told/");
  });

  it("a connector has no address for events, nor has a bank that gives none", () => {
    expect(urlOf(connector, "events")).toBeNull();
    expect(urlOf({ ...bank, eventsUrl: null }, "events")).toBeNull();
  });

  it("an operation that is not known has none", () => {
    expect(operationNamed("inboundDirectDebitResponse")).toBe("inboundDirectDebitResponse");
    for (const name of ["events", "toString", "inboundCreditTransfer", ""]) expect(operationNamed(name)).toBeNull();
  });
});
