import { sampleBank, sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { parseOperation, findOperationAddress } from "./operation-addresses.ts";

describe("addresses of operations", () => {
  const bank = sampleBank({ id: "first", baseUrl: "http://bank/base", eventsUrl: "http://events/of/bank" });
  const connector = sampleConnector({ baseUrl: "http://connector" });

  it("each operation has its path below the base address of a bank or a connector [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [4 event-posting] [D2 inboundCreditTransferAuthorization] [D2 outcome] [D2 outboundDirectDebitResponse] [D2 inboundDirectDebit] [D2 event-posting]", () => {
    expect(findOperationAddress(bank, "outboundDirectDebitResponse")?.url.href).toBe("http://bank/base/outbound/direct-debit-response");
    expect(findOperationAddress(bank, "inboundDirectDebit")?.url.href).toBe("http://bank/base/inbound/direct-debit");
    expect(findOperationAddress(bank, "inboundCreditTransferAuthorization")?.url.href).toBe(
      "http://bank/base/inbound/credit-transfer-authorisation",
    );
    expect(findOperationAddress(bank, "events")?.url.href).toBe("http://events/of/bank/events");
    expect(findOperationAddress(connector, "inboundDirectDebitResponse")?.url.href).toBe("http://connector/inbound/direct-debit-response");
    expect(findOperationAddress(connector, "inboundCreditTransferAuthorizationResponse")?.url.href).toBe(
      "http://connector/inbound/credit-transfer-authorisation-response",
    );
  });

  it("a receiver may give one operation a URL of its own, and its other operations keep theirs", () => {
    const apart = { ...bank, operationUrls: { inboundDirectDebit: "http://debits/x?y=1" } };
    expect(findOperationAddress(apart, "inboundDirectDebit")?.url.href).toBe("http://debits/x?y=1");
    expect(findOperationAddress(apart, "outboundDirectDebitResponse")?.url.href).toBe("http://bank/base/outbound/direct-debit-response");
    const configured = sampleConnector({ operationUrls: { inboundDirectDebitResponse: "http://configured" } });
    expect(findOperationAddress(configured, "inboundDirectDebitResponse")?.url.href).toBe("http://configured/");
  });

  it("a connector has no address for events, nor has a bank without an events URL", () => {
    expect(findOperationAddress(connector, "events")).toBeNull();
    expect(findOperationAddress({ ...bank, eventsUrl: null }, "events")).toBeNull();
  });

  it("an unknown operation has no address", () => {
    expect(parseOperation("inboundDirectDebitResponse")).toBe("inboundDirectDebitResponse");
    for (const name of ["events", "toString", "inboundCreditTransfer", ""]) expect(parseOperation(name)).toBeNull();
  });
});
