import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountText } from "./json/amount.ts";
import { hashMessage } from "./json/canonical-json.ts";
import type { CreditTransferReceived, DirectDebitReceived, StatusReportReceived } from "../generated/records.ts";
import {
  anyCreditTransfer,
  anyDirectDebit,
  anyStatusReport,
  encodeJson,
  sortedJsonText,
  anyFullCreditTransfer,
  anyFullDirectDebit,
  anyFullStatusReport,
  jsonNumber,
  parseSample,
} from "./read/messages.fixture.ts";
import { currencyCodes, minorUnitDigits } from "./read/iso-4217.ts";
import { isJsonObject, type Json } from "./json/json.ts";
import { creditTransferText, directDebitText, statusReportText } from "./render/message-writers.ts";
import { amountSchema } from "./read/message-parts.ts";
import { readCreditTransfer } from "./read/read-credit-transfer.ts";
import { readDirectDebit } from "./read/read-direct-debit.ts";
import { readStatusReport } from "./read/read-status-report.ts";
import { createFixedSerde } from "../wire/serde.ts";
import { readReportOutcome } from "./read/report-outcome.ts";
import { writeAmount } from "./json/write-json.ts";

const serde = createFixedSerde();
const envelope = { sender: "first", receivedAtMs: 1_763_600_000_000 };
const close = { reconciliationDay: "ZA_EFT:2026-11-20", closesAtMs: 1_763_700_000_000 };

function debitThroughAvro(json: Json): string {
  const reading = readDirectDebit(encodeJson(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const value = { ...envelope, ...close, ...hashes, debit, flow: "ON_US", bank: null };
  const decoded = serde.decode(serde.encode("DirectDebitReceived", value));
  return directDebitText((decoded.value as DirectDebitReceived).debit);
}

function creditThroughAvro(json: Json): string {
  const reading = readCreditTransfer(encodeJson(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: credit, ...hashes } = reading.read;
  const value = { ...envelope, ...hashes, bank: "first", businessDate: "2026-11-20", deadlineMs: 1_763_700_000_000, credit };
  const decoded = serde.decode(serde.encode("CreditTransferReceived", value));
  return creditTransferText((decoded.value as CreditTransferReceived).credit);
}

function reportThroughAvro(json: Json): string {
  const reading = readStatusReport(encodeJson(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  const value = { ...envelope, ...hashes, report, operation: "inboundDirectDebitResponse" };
  const decoded = serde.decode(serde.encode("StatusReportReceived", value));
  return statusReportText((decoded.value as StatusReportReceived).report);
}

const kinds = [
  { kind: "debit", any: anyDirectDebit, full: anyFullDirectDebit, through: debitThroughAvro },
  { kind: "credit", any: anyCreditTransfer, full: anyFullCreditTransfer, through: creditThroughAvro },
  { kind: "report", any: anyStatusReport, full: anyFullStatusReport, through: reportThroughAvro },
];

describe.each(kinds)("every $kind survives JSON, Avro and back", ({ any, full, through }) => {
  test.each([
    ["some of its members", any],
    ["every member", full],
  ])("with %s, and every number with its digits", (_what, messages) => {
    fc.assert(
      fc.property(messages, (json) => {
        expect(sortedJsonText(parseSample(through(json)))).toBe(sortedJsonText(json));
      }),
      { numRuns: 40 },
    );
  });

  test("a message rendered twice has the same bytes, and the hash that it was received with", () => {
    fc.assert(
      fc.property(any, (json) => {
        const text = through(json);
        expect(through(parseSample(text))).toBe(text);
        const [before, after] = [json, parseSample(text)];
        if (!isJsonObject(before) || !isJsonObject(after)) throw new Error("no object");
        expect(hashMessage(after)).toEqual(hashMessage(before));
      }),
      { numRuns: 25 },
    );
  });
});

test("every report has exactly one meaning", () => {
  fc.assert(
    fc.property(anyStatusReport, (json) => {
      const reading = readStatusReport(encodeJson(json));
      expect(["made", "not-made", "pending"]).toContain(reading.ok ? readReportOutcome(reading.read.message) : null);
    }),
    { numRuns: 40 },
  );
});

describe("an amount goes from JSON text to decimal, Avro and JSON text with the same digits [2.4 Amount] [D5.18]", () => {
  const listCurrencies = (digits: number) => currencyCodes().filter((code) => minorUnitDigits(code) === digits);
  const type = createFixedSerde();

  function throughAvro(value: string, currency: string): string {
    const read = amountSchema.parse({ value: jsonNumber(value), currency });
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
      fc.property(values, fc.constantFrom(...listCurrencies(minor)), ([fraction, drawn, length], currency) => {
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
