import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashesOf } from "./canonical-json.ts";
import type { DirectDebitReceived, StatusReportReceived } from "./generated/records.ts";
import { anyDirectDebit, anyStatusReport, bytesOf, exactText, parsed } from "./given-messages.ts";
import { isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import { directDebitText, statusReportText } from "./message-writers.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";
import { fixedSerde } from "./serde.ts";
import { outcomeOf } from "./status-meaning.ts";

const serde = fixedSerde();
const envelope = { sender: "first", receivedAtMs: 1_763_600_000_000 };
const close = { closesWith: "ZA_EFT:2026-11-20", closesAtMs: 1_763_700_000_000 };

function debitThroughAvro(json: Json): string {
  const reading = readDirectDebit(bytesOf(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const decoded = serde.decode(serde.encode("DirectDebitReceived", { ...envelope, ...close, ...hashes, debit, flow: "ON_US", bank: "" }));
  return directDebitText((decoded.value as DirectDebitReceived).debit);
}

function reportThroughAvro(json: Json): string {
  const reading = readStatusReport(bytesOf(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  const decoded = serde.decode(
    serde.encode("StatusReportReceived", { ...envelope, ...hashes, report, operation: "inboundDirectDebitResponse" }),
  );
  return statusReportText((decoded.value as StatusReportReceived).report);
}

test("every debit goes through JSON, Avro and back with every member, and every number with its digits", () => {
  fc.assert(
    fc.property(anyDirectDebit, (json) => {
      expect(exactText(parsed(debitThroughAvro(json)))).toBe(exactText(json));
    }),
    { numRuns: 60 },
  );
});

test("every report goes through JSON, Avro and back with every member, and has one meaning", () => {
  fc.assert(
    fc.property(anyStatusReport, (json) => {
      expect(exactText(parsed(reportThroughAvro(json)))).toBe(exactText(json));
      const reading = readStatusReport(bytesOf(json));
      expect(["made", "not-made", "pending"]).toContain(reading.ok ? outcomeOf(reading.read.message) : null);
    }),
    { numRuns: 60 },
  );
});

test("a message rendered twice is the same bytes, and hashes to what it was received with", () => {
  fc.assert(
    fc.property(anyDirectDebit, (json) => {
      const text = debitThroughAvro(json);
      expect(debitThroughAvro(parsed(text))).toBe(text);
      const [before, after] = [json, parsed(text)];
      if (!isJsonObject(before) || !isJsonObject(after)) throw new Error("no object");
      expect(hashesOf(after)).toEqual(hashesOf(before));
    }),
    { numRuns: 25 },
  );
});
