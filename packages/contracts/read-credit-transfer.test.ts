import { describe, expect, test } from "vitest";
import { bytesOf, changed, jsonNumber, sample } from "./given-json.ts";
import type { Json, PathPart } from "./json.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";

const credit = sample("scheme-inbound-credit-transfer.json");

/** `ok`, or the status and the detail, after setting one member (undefined: leaving it out). */
function said(path: string, value: Json | undefined): string {
  const parts: readonly PathPart[] = path.split("/").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const reading = readCreditTransfer(bytesOf(changed(credit, parts, value)));
  return reading.ok ? "ok" : `${reading.status} ${reading.error.detail}`;
}

const x = (length: number) => "x".repeat(length);
const n = jsonNumber;
const amountOf = (value: string, currency: string): Json => ({ value: n(value), currency });

test("the sample is read, what it does not have is null", () => {
  const reading = readCreditTransfer(bytesOf(credit));
  expect(reading).toMatchObject({
    ok: true,
    read: {
      message: {
        amounts: { bankSettlementAmount: { value: 185_000_000n, digits: 2, currency: "ZAR" } },
        paymentScheme: { schema: "ZA_EFT", schemeData: { userReference: "SALARY NOV 2026", businessReference: "PAYROLL-11" } },
        tax: null,
        intermediaryAgents: null,
        instructionForCreditorAgent: null,
      },
    },
  });
});

describe("a required member that is missing is a 400 with its place", () => {
  test.each([
    "amounts/bankSettlementAmount",
    "creditorAccount",
    "creditorAgent",
    "debtorAgent",
    "paymentScheme/schema",
    "transactionIdentifiers/uetr",
  ])("%s", (path) => {
    expect(said(path, undefined)).toMatch(new RegExp(`^400 /${path}: `));
  });
});

describe("all else may be missing, but is not null", () => {
  test.each([
    "creditor",
    "debtor",
    "debtorAccount",
    "creditor/legalName",
    "paymentScheme/schemeData",
    "paymentScheme/schemeData/userReference",
    "paymentTypeInformation",
    "amounts/instructedAmount",
    "purpose",
    "remittanceInformation",
    "transactionIdentifiers/transactionIdentification",
  ])("%s", (path) => {
    expect(said(path, undefined)).toBe("ok");
    expect(said(path, null)).toMatch(new RegExp(`^400 /${path}: `));
  });
});

describe("an unknown member is refused at every depth, with its path", () => {
  test.each([
    "mandateInformation",
    "sequenceType",
    "creditor/extra",
    "paymentScheme/extra",
    "paymentScheme/schemeData/extra",
    "tax/extra",
    "creditorAccount/identification/extra",
    "instructionForCreditorAgent/0/extra",
    "previousInstructingAgents/0/extra",
  ])("%s", (path) => {
    const given = path.startsWith("instruction") || path.startsWith("previous") ? path.split("/")[0] : null;
    const base = given === null || given === undefined ? credit : changed(credit, [given], [{}]);
    const parts: readonly PathPart[] = path.split("/").map((part) => (part === "0" ? 0 : part));
    const reading = readCreditTransfer(bytesOf(changed(base, parts, "x")));
    expect(reading).toMatchObject({
      ok: false,
      status: 400,
      error: { detail: expect.stringContaining(`/${path}: this member is not known`) },
    });
  });
});

describe("each bound is kept: the last value inside, the first outside", () => {
  test.each<[string, Json, Json]>([
    ["schema", "CreditTransfer", "DirectDebit"],
    ["paymentScheme/schemeData/userReference", x(140), x(141)],
    ["paymentScheme/schemeData/originatorEchoData", "", x(141)],
    ["paymentScheme/schemeData/businessReference", x(140), n("1")],
    ["instructionForCreditorAgent", [{ code: x(35), information: x(140) }], [{ code: x(36) }]],
    ["instructionForCreditorAgent", [], [{ information: x(141) }]],
    ["instructionForCreditorAgent", [{}], {}],
    ["intermediaryAgents", [{}, {}, {}], [{}, {}, {}, {}]],
    ["previousInstructingAgents", [{ memberId: "1" }, {}, {}], [{}, {}, {}, {}]],
    ["tax", { totalAmount: amountOf("1.50", "ZAR") }, { totalAmount: n("1.50") }],
    ["creditor/legalName", x(140), x(141)],
    ["creditor/knownAsName", "x", ""],
    ["creditor/identification", { schema: "PERSON", identifiers: [{ identification: "x" }] }, { schema: "PERSON", identifiers: [{}] }],
    ["creditorAccount", { proxy: { schema: "PHONE", value: "x" } }, { name: "x" }],
    ["supplementaryData", { k: "v" }, { k: n("1") }],
    ["paymentScheme", { schema: "ZA_RPP" }, { schema: "" }],
  ])("%s %#", (path, inside, outside) => {
    expect(said(path, inside)).toBe("ok");
    expect(said(path, outside)).toMatch(/^400 \//);
  });
});

test.each<[string, Json, string]>([
  ["paymentScheme", { schema: "ZA_DEBICHECK", other: true }, "/paymentScheme/schema: only ZA_EFT, ZA_RTC, ZA_RPP are accepted here"],
  [
    "amounts/bankSettlementAmount",
    amountOf("1.005", "ZAR"),
    "/amounts/bankSettlementAmount/value: 1.005 has more digits than ZAR allows (2).",
  ],
  ["tax", { totalAmount: amountOf("1", "XAU") }, "/tax/totalAmount/currency: XAU is not an active currency"],
])("what is well-formed and cannot be processed is a 422: %s %#", (path, value, detail) => {
  expect(said(path, value)).toBe(`422 ${detail}`);
});
