import { describe, expect, test } from "vitest";
import { encodeJson, changeMember, jsonNumber, readSample } from "../json/json.fixture.ts";
import type { Json, PathPart } from "../json/json.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";

const credit = readSample("scheme-inbound-credit-transfer.json");

/** Returns `ok`, or the status and the detail, after one member was set (undefined leaves it out). */
function readResult(path: string, value: Json | undefined): string {
  const parts: readonly PathPart[] = path.split("/").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const reading = readCreditTransfer(encodeJson(changeMember(credit, parts, value)));
  return reading.ok ? "ok" : `${reading.status} ${reading.error.detail}`;
}

const x = (length: number) => "x".repeat(length);
const n = jsonNumber;
const buildAmount = (value: string, currency: string): Json => ({ value: n(value), currency });

test("the sample is read, and members that it lacks are null", () => {
  const reading = readCreditTransfer(encodeJson(credit));
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

describe("a missing required member is a 400 that names its place", () => {
  test.each([
    "amounts/bankSettlementAmount",
    "creditorAccount",
    "creditorAgent",
    "debtorAgent",
    "paymentScheme/schema",
    "transactionIdentifiers/uetr",
  ])("%s", (path) => {
    expect(readResult(path, undefined)).toMatch(new RegExp(`^400 /${path}: `));
  });
});

describe("every other member may be missing, but not null", () => {
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
    expect(readResult(path, undefined)).toBe("ok");
    expect(readResult(path, null)).toMatch(new RegExp(`^400 /${path}: `));
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
    const base = given === null || given === undefined ? credit : changeMember(credit, [given], [{}]);
    const parts: readonly PathPart[] = path.split("/").map((part) => (part === "0" ? 0 : part));
    const reading = readCreditTransfer(encodeJson(changeMember(base, parts, "x")));
    expect(reading).toMatchObject({
      ok: false,
      status: 400,
      error: { detail: expect.stringContaining(`/${path}: this member is not known`) },
    });
  });
});

describe("each bound is kept: the last value inside is read, the first outside is refused", () => {
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
    ["tax", { totalAmount: buildAmount("1.50", "ZAR") }, { totalAmount: n("1.50") }],
    ["creditor/legalName", x(140), x(141)],
    ["creditor/knownAsName", "x", ""],
    ["creditor/identification", { schema: "PERSON", identifiers: [{ identification: "x" }] }, { schema: "PERSON", identifiers: [{}] }],
    ["creditorAccount", { proxy: { schema: "PHONE", value: "x" } }, { name: "x" }],
    ["supplementaryData", { k: "v" }, { k: n("1") }],
    ["paymentScheme", { schema: "ZA_RPP" }, { schema: "" }],
  ])("%s %#", (path, inside, outside) => {
    expect(readResult(path, inside)).toBe("ok");
    expect(readResult(path, outside)).toMatch(/^400 \//);
  });
});

test.each<[string, Json, string]>([
  ["paymentScheme", { schema: "ZA_DEBICHECK", other: true }, "/paymentScheme/schema: only ZA_EFT, ZA_RTC, ZA_RPP are accepted here"],
  [
    "amounts/bankSettlementAmount",
    buildAmount("1.005", "ZAR"),
    "/amounts/bankSettlementAmount/value: 1.005 has more digits than ZAR allows (2).",
  ],
  ["tax", { totalAmount: buildAmount("1", "XAU") }, "/tax/totalAmount/currency: XAU is not an active currency"],
])("what is well-formed and cannot be processed is a 422: %s %#", (path, value, detail) => {
  expect(readResult(path, value)).toBe(`422 ${detail}`);
});
