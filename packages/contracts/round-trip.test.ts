import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountText } from "./amount.ts";
import { hashesOf } from "./canonical-json.ts";
import type { CreditTransferReceived, DirectDebitReceived, StatusReportReceived } from "./generated/records.ts";
import {
  anyCreditTransfer,
  anyDirectDebit,
  anyStatusReport,
  bytesOf,
  exactText,
  fullCreditTransfer,
  fullDirectDebit,
  fullStatusReport,
  jsonNumber,
  parsed,
} from "./given-messages.ts";
import { currencyCodes, minorUnitsOf } from "./iso-4217.ts";
import { isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import { creditTransferText, directDebitText, statusReportText } from "./message-writers.ts";
import { amount } from "./message-parts.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";
import { fixedSerde } from "./serde.ts";
import { outcomeOf } from "./status-meaning.ts";
import { amount as writeAmount } from "./write-json.ts";

const serde = fixedSerde();
const envelope = { sender: "first", receivedAtMs: 1_763_600_000_000 };
const close = { closesWith: "ZA_EFT:2026-11-20", closesAtMs: 1_763_700_000_000 };

function debitThroughAvro(json: Json): string {
  const reading = readDirectDebit(bytesOf(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const value = { ...envelope, ...close, ...hashes, debit, flow: "ON_US", bank: "" };
  const decoded = serde.decode(serde.encode("DirectDebitReceived", value));
  return directDebitText((decoded.value as DirectDebitReceived).debit);
}

function creditThroughAvro(json: Json): string {
  const reading = readCreditTransfer(bytesOf(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: credit, ...hashes } = reading.read;
  const value = { ...envelope, ...hashes, bank: "first", businessDate: "2026-11-20", deadlineMs: 1_763_700_000_000, credit };
  const decoded = serde.decode(serde.encode("CreditTransferReceived", value));
  return creditTransferText((decoded.value as CreditTransferReceived).credit);
}

function reportThroughAvro(json: Json): string {
  const reading = readStatusReport(bytesOf(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  const value = { ...envelope, ...hashes, report, operation: "inboundDirectDebitResponse" };
  const decoded = serde.decode(serde.encode("StatusReportReceived", value));
  return statusReportText((decoded.value as StatusReportReceived).report);
}

const kinds = [
  { kind: "debit", any: anyDirectDebit, full: fullDirectDebit, through: debitThroughAvro },
  { kind: "credit", any: anyCreditTransfer, full: fullCreditTransfer, through: creditThroughAvro },
  { kind: "report", any: anyStatusReport, full: fullStatusReport, through: reportThroughAvro },
];

describe.each(kinds)("every $kind goes through JSON, Avro and back", ({ any, full, through }) => {
  test.each([
    ["some of its members", any],
    ["every member", full],
  ])("with %s, and every number with its digits", (_what, messages) => {
    fc.assert(
      fc.property(messages, (json) => {
        expect(exactText(parsed(through(json)))).toBe(exactText(json));
      }),
      { numRuns: 40 },
    );
  });

  test("rendered twice it is the same bytes, and hashes to what it was received with", () => {
    fc.assert(
      fc.property(any, (json) => {
        const text = through(json);
        expect(through(parsed(text))).toBe(text);
        const [before, after] = [json, parsed(text)];
        if (!isJsonObject(before) || !isJsonObject(after)) throw new Error("no object");
        expect(hashesOf(after)).toEqual(hashesOf(before));
      }),
      { numRuns: 25 },
    );
  });
});

test("every report has one meaning", () => {
  fc.assert(
    fc.property(anyStatusReport, (json) => {
      const reading = readStatusReport(bytesOf(json));
      expect(["made", "not-made", "pending"]).toContain(reading.ok ? outcomeOf(reading.read.message) : null);
    }),
    { numRuns: 40 },
  );
});

describe("an amount goes from JSON text to decimal, Avro and JSON text with the same digits [2.4 Amount]", () => {
  const currenciesOf = (digits: number) => currencyCodes().filter((code) => minorUnitsOf(code) === digits);
  const type = fixedSerde();

  function throughAvro(value: string, currency: string): string {
    const read = amount.parse({ value: jsonNumber(value), currency });
    const record = { ...esm, amount: read };
    const decoded = type.decode(type.encode("EsmStateEvent", record));
    if (decoded.name !== "EsmStateEvent") throw new Error("another record");
    expect(amountText(decoded.value.amount)).toBe(value);
    return writeAmount(decoded.value.amount);
  }

  test.each([0, 2, 3, 4])("over 18 digits, in every currency with %d minor units", (minor) => {
    const fractions = fc.integer({ min: 0, max: minor });
    const values = fc.tuple(fractions, fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.integer({ min: 1, max: 18 }));
    fc.assert(
      fc.property(values, fc.constantFrom(...currenciesOf(minor)), ([fraction, drawn, length], currency) => {
        const digits = drawn
          .toString()
          .slice(0, length)
          .padStart(fraction + 1, "0");
        const value = fraction === 0 ? digits : `${digits.slice(0, -fraction)}.${digits.slice(-fraction)}`;
        expect(throughAvro(value, currency)).toBe(`{"value":${value},"currency":"${currency}"}`);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ["999999999999999999", "JPY"],
    ["9999999999999999.99", "ZAR"],
    ["999999999999999.999", "KWD"],
    ["99999999999999.9999", "CLF"],
    ["9007199254740993", "ZAR"],
    ["0.10", "ZAR"],
    ["0.30", "ZAR"],
    ["1250.50", "ZAR"],
  ])("%s %s, which a double would change or shorten", (value, currency) => {
    expect(throughAvro(value, currency)).toBe(`{"value":${value},"currency":"${currency}"}`);
  });
});

const esm = {
  id: "0",
  uetr: "0",
  state: "HELD",
  financialTransactionState: "IN_PROGRESS",
  transactionState: "ON_HOLD",
  bank: "first",
  scheme: "ZA_EFT",
  service: "EFT_DIRECT_DEBIT",
  direction: "OUTBOUND",
  businessDate: "2026-11-20",
  enteredAtMs: 0,
  causedByOffset: 0n,
  deadlineMs: 0,
  body: new Uint8Array(),
};
