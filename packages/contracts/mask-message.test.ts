import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reading } from "./api.ts";
import { bytesOf } from "./given-json.ts";
import { fullCreditTransfer, fullDirectDebit, fullStatusReport } from "./given-messages.ts";
import type { Json } from "./json.ts";
import { masked, maskedAccountNumber } from "./mask-message.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";
import { messageText } from "./render-message.ts";
import type { OutgoingMessage } from "./render-message.ts";

type Members = Readonly<Record<string, unknown>>;

function messageOf<T>(reading: Reading<T>): T {
  if (!reading.ok) throw new Error(reading.error.detail);
  return reading.read.message;
}

/** The masked message as a receiver reads it. */
function shownOf(outgoing: OutgoingMessage): Members {
  return membersOf(JSON.parse(messageText(masked(outgoing))));
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Nothing but a country, and that there is a name. */
function expectPersonHidden(party: unknown): void {
  const { countryOfResidence: _country, ...rest } = membersOf(party);
  if ("legalName" in rest) expect(rest).toEqual({ legalName: "***" });
  else expect(rest).toEqual({});
}

/** Number and proxy hidden, no name; what is left is no person's. */
function expectAccountHidden(account: unknown): void {
  const { identification, proxy, currency: _currency, type: _type, ...rest } = membersOf(account);
  expect(rest).toEqual({});
  const { value = "" } = membersOf(identification);
  expect(String(value).replaceAll(/[*X]/g, "").replace(/^00/, "").length).toBeLessThanOrEqual(4);
  if (proxy !== undefined) expect(membersOf(proxy)["value"]).toBe("***");
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
    fc.property(message, (json) => check(bytesOf(json))),
    { numRuns: 30 },
  );
}

describe("a masked message with every member", () => {
  test("a debit shows no person, account, reference, signature or free text", () => {
    property(fullDirectDebit, (bytes) => {
      const shown = shownOf({ kind: "DirectDebit", message: messageOf(readDirectDebit(bytes)) });
      expectSidesHidden(shown);
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(membersOf(shown["paymentScheme"])["schemeData"]).toEqual({ userReference: "***" });
      expect(shown["mandateInformation"]).not.toHaveProperty("electronicSignature");
      expect(shown).toHaveProperty("amounts.bankSettlementAmount.value");
    });
  });

  test("a credit shows no person, account, reference, instruction's text or free text", () => {
    property(fullCreditTransfer, (bytes) => {
      const shown = shownOf({ kind: "CreditTransfer", message: messageOf(readCreditTransfer(bytes)) });
      expectSidesHidden(shown);
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(membersOf(shown["paymentScheme"])).not.toHaveProperty("schemeData");
      expect(JSON.stringify(shown["instructionForCreditorAgent"] ?? [])).not.toContain('"information"');
      expect(shown).toHaveProperty("amounts.bankSettlementAmount.value");
    });
  });

  test("a report shows no person or account of the original, and of its reasons the codes alone", () => {
    property(fullStatusReport, (bytes) => {
      const shown = shownOf({ kind: "PaymentStatusReport", message: messageOf(readStatusReport(bytes)) });
      expectSidesHidden(membersOf(shown["originalTransactionData"]));
      expect(shown).not.toHaveProperty("supplementaryData");
      expect(JSON.stringify(shown["status"])).not.toContain("additionalInformation");
    });
  });
});

test("of an account number at most the last four characters are shown, and of a short one at most half", () => {
  expect(["62005551230", "12345678", "1234567", "123", "12", "1", ""].map(maskedAccountNumber)).toEqual([
    "*******1230",
    "****5678",
    "****567",
    "**3",
    "*2",
    "*",
    "",
  ]);
});
