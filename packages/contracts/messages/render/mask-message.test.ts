import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadResult } from "../../api.ts";
import { encodeJson } from "../json/json.fixture.ts";
import { anyFullCreditTransfer, anyFullDirectDebit, anyFullStatusReport } from "../read/messages.fixture.ts";
import type { Json } from "../json/json.ts";
import { maskMessage, maskAccountNumber } from "./mask-message.ts";
import { readCreditTransfer } from "../read/read-credit-transfer.ts";
import { readDirectDebit } from "../read/read-direct-debit.ts";
import { readStatusReport } from "../read/read-status-report.ts";
import { messageText, type OutgoingMessage } from "./render-message.ts";

type Members = Readonly<Record<string, unknown>>;

function readOrThrow<T>(reading: ReadResult<T>): T {
  if (!reading.ok) throw new Error(reading.error.detail);
  return reading.read.message;
}

/** The masked message as a receiver reads it. */
function renderMasked(outgoing: OutgoingMessage): Members {
  return toMembers(JSON.parse(messageText(maskMessage(outgoing))));
}

function toMembers(value: unknown): Members {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Checks that nothing but the country is shown, and that a name is there but hidden. */
function expectPersonHidden(party: unknown): void {
  const { countryOfResidence: _country, ...rest } = toMembers(party);
  if ("legalName" in rest) expect(rest).toEqual({ legalName: "***" });
  else expect(rest).toEqual({});
}

/** Checks that number and proxy are hidden and that there is no name; the rest identifies no person. */
function expectAccountHidden(account: unknown): void {
  const { identification, proxy, currency: _currency, type: _type, ...rest } = toMembers(account);
  expect(rest).toEqual({});
  const { value = "" } = toMembers(identification);
  expect(String(value).replaceAll(/[*X]/g, "").replace(/^00/, "").length).toBeLessThanOrEqual(4);
  if (proxy !== undefined) expect(toMembers(proxy)["value"]).toBe("***");
}

function expectSidesHidden(message: Members): void {
  for (const side of ["creditor", "debtor"]) {
    expectPersonHidden(message[side]);
    expectAccountHidden(message[`${side}Account`]);
  }
  expect(message).not.toHaveProperty("remittanceInformation");
}

function property(message: fc.Arbitrary<Json>, check: (bytes: Uint8Array) => void): void {
  fc.assert(
    fc.property(message, (json) => check(encodeJson(json))),
    { numRuns: 30 },
  );
}

describe("a masked message with every member", () => {
  test("a debit shows no person, account, reference, signature or free text", () => {
    property(anyFullDirectDebit, (bytes) => {
      const shown = renderMasked({ kind: "DirectDebit", message: readOrThrow(readDirectDebit(bytes)), base: null });
      expectSidesHidden(shown);
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(toMembers(shown["paymentScheme"])["schemeData"]).toEqual({ userReference: "***" });
      expect(shown["mandateInformation"]).not.toHaveProperty("electronicSignature");
      expect(shown).toHaveProperty("amounts.bankSettlementAmount.value");
    });
  });

  test("a credit shows no person, account, reference, instruction's text or free text", () => {
    property(anyFullCreditTransfer, (bytes) => {
      const shown = renderMasked({ kind: "CreditTransfer", message: readOrThrow(readCreditTransfer(bytes)), base: null });
      expectSidesHidden(shown);
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(toMembers(shown["paymentScheme"])).not.toHaveProperty("schemeData");
      expect(JSON.stringify(shown["instructionForCreditorAgent"] ?? [])).not.toContain('"information"');
      expect(shown).toHaveProperty("amounts.bankSettlementAmount.value");
    });
  });

  test("a report shows no person or account of the original, and of its reasons the codes alone", () => {
    property(anyFullStatusReport, (bytes) => {
      const shown = renderMasked({ kind: "PaymentStatusReport", message: readOrThrow(readStatusReport(bytes)) });
      expectSidesHidden(toMembers(shown["originalTransactionData"]));
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(JSON.stringify(shown["status"])).not.toContain("additionalInformation");
    });
  });
});

test("a masked account number shows at most its last four characters, and a short one at most half of them", () => {
  expect(["62005551230", "12345678", "1234567", "123", "12", "1", ""].map(maskAccountNumber)).toEqual([
    "*******1230",
    "****5678",
    "****567",
    "**3",
    "*2",
    "*",
    "",
  ]);
});
