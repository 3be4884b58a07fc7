import { describe, expect, test } from "vitest";
import { encodeJson, changeMember, jsonNumber, readSample, readSampleBytes } from "../json/json.fixture.ts";
import type { Json, PathPart } from "../json/json.ts";
import { readStatusReport } from "./read-status-report.ts";
import { readReportOutcome } from "./report-outcome.ts";

const report = readSample("status-report-from-bank.json");

function readResult(path: string, value: Json | undefined): string {
  const parts: PathPart[] = path.split("/");
  const reading = readStatusReport(encodeJson(changeMember(report, parts, value)));
  return reading.ok ? readReportOutcome(reading.read.message) : `${reading.status} ${reading.error.detail}`;
}

test("both samples are read", () => {
  expect(readStatusReport(readSampleBytes("status-report-from-bank.json")).ok).toBe(true);
  expect(readStatusReport(readSampleBytes("status-report-rejected.json")).ok).toBe(true);
});

test.each<[Json, string]>([
  [{ code: "ACCP" }, "made"],
  [{ code: "ACSP" }, "made"],
  [{ code: "ACSC" }, "made"],
  [{ code: "ACCC", outcome: "APPROVED" }, "made"],
  [{ outcome: "APPROVED" }, "made"],
  [{ code: "RJCT" }, "not-made"],
  [{ outcome: "REJECTED", reasonInfo: [] }, "not-made"],
  [{ code: "CANC" }, "not-made"],
  [{ code: "CANC", outcome: "CANCELLED" }, "not-made"],
  [{ code: "PDNG" }, "pending"],
  [{ outcome: "PENDING" }, "pending"],
])("%j means %s", (status, meaning) => {
  expect(readResult("status", status)).toBe(meaning);
});

test.each<[Json, string]>([
  [{ code: "RJCT", outcome: "APPROVED" }, "422 /status/outcome: RJCT and APPROVED contradict each other"],
  [{ code: "CANC", outcome: "REJECTED" }, "422 /status/outcome: CANC and REJECTED contradict each other"],
  [{ code: "ACWC" }, "422 /status/code: must be one of ACCP, ACSP, ACSC, ACCC, RJCT, PDNG, CANC"],
  [{}, "400 /status: must have a code, an outcome, or both"],
  [{ outcome: "OK" }, "400 /status/outcome: must be APPROVED, REJECTED, PENDING, CANCELLED"],
  [{ code: jsonNumber("1") }, "400 /status/code: must be a string"],
  [
    { code: "RJCT", reasonInfo: [{ why: "x" }] },
    "400 /status/reasonInfo/0/why: this member is not known; supplementaryData is the place for extras",
  ],
])("%j is refused: %s", (status, refusal) => {
  expect(readResult("status", status)).toBe(refusal);
});

describe("a missing required member is a 400 that names its place", () => {
  test.each(["schema", "messageIdentifiers", "originalMessageIdentifiers", "transactionIdentifiers", "paymentScheme", "status"])(
    "%s",
    (path) => {
      expect(readResult(path, undefined)).toMatch(new RegExp(`^400 /${path}: `));
    },
  );
});

test("a report of another scheme cannot be processed, and one with scheme data does not fit", () => {
  for (const schema of ["ZA_EFT", "ZA_RTC", "ZA_RPP"]) expect(readResult("paymentScheme", { schema })).toBe("made");
  expect(readResult("paymentScheme", { schema: "ZA_X" })).toBe("422 /paymentScheme/schema: only ZA_EFT, ZA_RTC, ZA_RPP are accepted here");
  expect(readResult("paymentScheme", { schema: "ZA_EFT", schemeData: {} })).toMatch(/^400 \/paymentScheme\/schemeData/);
});

test("key elements of the original are read, and refused where they do not fit", () => {
  expect(readResult("originalTransactionData", {})).toBe("made");
  expect(readResult("originalTransactionData", { amounts: {} })).toBe(
    "400 /originalTransactionData/amounts/bankSettlementAmount: is required",
  );
  expect(readResult("originalTransactionData", { settlementDate: "2026-11-31" })).toMatch(/^400 \/originalTransactionData\/settlementDate/);
});
