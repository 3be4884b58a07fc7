import { describe, expect, test } from "vitest";
import { encodeJson, changeMember, jsonNumber, readSample, readSampleBytes } from "../json/json.fixture.ts";
import type { Json, PathPart } from "../json/json.ts";
import { readDirectDebit } from "./read-direct-debit.ts";

const debit = readSample("outbound-direct-debit.json");

/** Returns `ok`, or the status and the detail, after one member was set (undefined leaves it out). */
function readResult(path: string, value: Json | undefined): string {
  const parts: PathPart[] = path.split("/").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const reading = readDirectDebit(encodeJson(changeMember(debit, parts, value)));
  return reading.ok ? "ok" : `${reading.status} ${reading.error.detail}`;
}

const n = jsonNumber;
const x = (length: number) => "x".repeat(length);
const wide = (length: number) => "😀".repeat(length);
const many = (count: number, item: Json) => Array.from({ length: count }, () => item);
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

test("the sample is read, with the digits of its amount", () => {
  const reading = readDirectDebit(readSampleBytes("outbound-direct-debit.json"));
  expect(reading).toMatchObject({
    ok: true,
    read: {
      message: {
        amounts: { bankSettlementAmount: { value: 12_505_000n, digits: 2, currency: "ZAR" } },
        debtor: { address: { buildingNumber: "12", postCode: "8001", floor: null } },
        mandateInformation: null,
      },
    },
  });
});

describe("a missing required member is a 400 that names its place", () => {
  test.each([
    "schema",
    "messageIdentifiers",
    "messageIdentifiers/messageIdentification",
    "messageIdentifiers/creationDateTime",
    "transactionIdentifiers",
    "transactionIdentifiers/endToEndIdentification",
    "transactionIdentifiers/uetr",
    "amounts",
    "amounts/bankSettlementAmount",
    "amounts/bankSettlementAmount/value",
    "amounts/bankSettlementAmount/currency",
    "creditor",
    "creditor/legalName",
    "creditorAgent",
    "creditorAgent/branch/identification",
    "debtor",
    "debtorAccount",
    "debtorAccount/identification/schema",
    "debtorAccount/identification/value",
    "debtorAgent",
    "paymentScheme",
    "paymentScheme/schema",
    "paymentScheme/schemeData",
    "paymentScheme/schemeData/userReference",
    "purpose/schema",
    "purpose/value",
  ])("%s", (path) => {
    expect(readResult(path, undefined)).toMatch(new RegExp(`^400 /${path}: `));
  });
});

describe("an optional member may be missing, but is not null", () => {
  test.each([
    "supplementaryData",
    "transactionIdentifiers/transactionIdentification",
    "amounts/instructedAmount",
    "creditorAccount",
    "creditorAgent/name",
    "debtor/address",
    "debtor/address/buildingNumber",
    "debtorAccount/currency",
    "purpose",
    "remittanceInformation",
    "requestedCollectionDate",
    "sequenceType",
  ])("%s", (path) => {
    expect(readResult(path, undefined)).toBe("ok");
    expect(readResult(path, null)).toMatch(new RegExp(`^400 /${path}: `));
  });
});

describe("an unknown member is refused at every depth, with its path [D5.2]", () => {
  test.each([
    "extra",
    "messageIdentifiers/extra",
    "transactionIdentifiers/extra",
    "amounts/extra",
    "amounts/bankSettlementAmount/extra",
    "creditor/extra",
    "debtor/address/extra",
    "debtor/contactDetails/extra",
    "debtorAccount/extra",
    "debtorAccount/identification/extra",
    "debtorAccount/identification/scheme/extra",
    "debtorAgent/extra",
    "debtorAgent/branch/extra",
    "mandateInformation/extra",
    "paymentScheme/extra",
    "paymentScheme/schemeData/extra",
    "purpose/extra",
    "remittanceInformation/extra",
  ])("%s", (path) => {
    expect(readResult(path, "x")).toBe(`400 /${path}: this member is not known; supplementaryData is the place for extras`);
  });
});

describe("each bound is kept: the last value inside is read, the first outside is refused", () => {
  test.each<[string, Json, Json]>([
    ["messageIdentifiers/messageIdentification", x(35), x(36)],
    ["messageIdentifiers/messageIdentification", "a", ""],
    ["messageIdentifiers/messageIdentification", "a b", " a"],
    ["messageIdentifiers/messageIdentification", "~", "é"],
    ["messageIdentifiers/messageIdentification", "a", "a "],
    ["messageIdentifiers/creationDateTime", "2026-11-20T23:59:59.999999999+14:00", "2026-11-20T24:00:00Z"],
    ["messageIdentifiers/creationDateTime", "2026-02-28T00:00:00Z", "2026-02-29T00:00:00Z"],
    ["messageIdentifiers/creationDateTime", "2026-11-20T05:12:03Z", "2026-11-20T05:12:03"],
    ["supplementaryData", pairs(50), pairs(51)],
    ["supplementaryData", { [wide(70)]: "v" }, { [wide(71)]: "v" }],
    ["supplementaryData", { k: wide(1000) }, { k: wide(1001) }],
    ["supplementaryData", {}, { "": "v" }],
    ["supplementaryData", {}, []],
    ["supplementaryData", { k: "1" }, { k: n("1") }],
    ["transactionIdentifiers/endToEndIdentification", x(35), x(36)],
    ["transactionIdentifiers/transactionIdentification", x(35), x(36)],
    ["transactionIdentifiers/instructionIdentification", x(35), x(36)],
    ["transactionIdentifiers/uetr", "6F4B2F0E-6F0A-4D52-9A57-1F0F5D0C2B11", "6f4b2f0e6f0a4d529a571f0f5d0c2b11"],
    ["transactionIdentifiers/uetr", "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11", "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b1g"],
    ["amounts/bankSettlementAmount/value", n("0"), n("-1")],
    ["amounts/bankSettlementAmount/value", n("0.00"), n("-0")],
    ["amounts/bankSettlementAmount/value", n("9999999999999999.99"), n("10000000000000000.00")],
    ["amounts/bankSettlementAmount/value", n("123456789012345678"), n("1234567890123456789")],
    ["amounts/bankSettlementAmount/value", n("1"), "1"],
    ["amounts/bankSettlementAmount/currency", "ZAR", "zar"],
    ["creditor/legalName", wide(140), wide(141)],
    ["creditor/legalName", "x", ""],
    ["creditor/knownAsName", x(140), x(141)],
    ["creditor/countryOfResidence", "NA", "ZZ"],
    ["creditor/identification", { schema: "PERSON", identifiers: [] }, { schema: "ROBOT" }],
    ["creditor/identification", { schema: "ORGANISATION" }, { schema: "ORGANISATION", identifiers: [{}] }],
    ["debtor/address/addressType", "DLVY", "WORK"],
    ["debtor/address/addressLine", many(7, x(70)), many(8, "x")],
    ["debtor/address/addressLine", [n("12"), "a"], [x(71)]],
    ["debtor/address/addressLine", [], [""]],
    ["debtor/address/townName", x(70), x(71)],
    ["debtor/address/townName", "x", ""],
    ["debtor/address/country", "GB", "UK"],
    ["debtor/address/floor", n("-1.50"), true],
    ["debtor/address/postCode", x(70), x(71)],
    ["debtor/address/postBox", n("1".repeat(70)), n("1".repeat(71))],
    ["debtorAccount/identification/value", x(40), x(41)],
    ["debtorAccount/identification/issuer", x(35), x(36)],
    ["debtorAccount/identification/schema", "GENERIC", "OTHER"],
    ["debtorAccount/identification", { schema: "IBAN", value: "GB33BUKB20201555555555" }, { schema: "IBAN", value: "GB33 BUKB" }],
    [
      "debtorAccount/identification",
      { schema: "IBAN", value: "GB33BUKB20201555555555" },
      { schema: "IBAN", value: "GB33BUKB2020", issuer: "x" },
    ],
    ["debtorAccount", { proxy: { schema: "PHONE", value: "x" } }, { currency: "ZAR" }],
    ["debtorAccount/name", x(70), x(71)],
    ["debtorAccount/type", { schema: "PROPRIETARY", value: "x" }, { schema: "OTHER", value: "x" }],
    ["debtorAgent/bicfi", "FIRNZAJJ", "FIRNZAJ"],
    ["debtorAgent/bicfi", "FIRNZAJJXXX", "firnzajj"],
    ["debtorAgent/memberId", x(35), x(36)],
    ["debtorAgent/name", x(140), x(141)],
    ["debtorAgent/lei", "5493001KJTIIGC8Y1R12", "5493001KJTIIGC8Y1R1"],
    ["debtorAgent/companyRegistration", x(35), x(36)],
    ["debtorAgent/additionalIdentifications", [{ identification: "x" }], [{ issuer: "x" }]],
    ["intermediaryAgents", many(3, { memberId: "1" }), many(4, { memberId: "1" })],
    ["instructedAgent", {}, n("1")],
    ["paymentScheme/schemeData/userReference", x(30), x(31)],
    ["paymentScheme/schemeData/userReference", " ", ""],
    ["paymentScheme/schemeData/userReference", "~", "é"],
    ["paymentScheme/schemeData/shortenedDebtorAccountNumber", "01234567890", "1234567890"],
    ["paymentScheme/schemeData/shortenedCreditorAccountNumber", "01234567890", "012345678901"],
    ["paymentTypeInformation", { serviceLevel: [] }, { serviceLevel: {} }],
    ["purpose/value", x(35), x(36)],
    ["remittanceInformation/unstructured", [wide(140)], [wide(141)]],
    ["remittanceInformation/structured", [{ originatorReference: x(35) }], [{ originatorReference: x(36) }]],
    ["requestedCollectionDate", "2028-02-29", "2027-02-29"],
    ["requestedCollectionDate", "2026-12-31", "2026-13-01"],
    ["settlementDate", "2026-04-30", "2026-04-31"],
    ["sequenceType", "RPRE", "FIRST"],
    ["schema", "DirectDebit", "CreditTransfer"],
    ["mandateInformation", { trackingDays: n("5") }, { trackingDays: false }],
    ["mandateInformation", { dateOfSignature: "2026-01-01" }, { dateOfSignature: "1 January" }],
  ])("%s %#", (path, inside, outside) => {
    expect(readResult(path, inside)).toBe("ok");
    expect(readResult(path, outside)).toMatch(/^400 \//);
  });
});

describe("a well-formed message that cannot be processed is a 422", () => {
  test.each<[string, Json, string]>([
    [
      "amounts/bankSettlementAmount/value",
      n("1250.505"),
      "/amounts/bankSettlementAmount/value: 1250.505 has more digits than ZAR allows (2).",
    ],
    ["amounts/bankSettlementAmount/currency", "BHX", "/amounts/bankSettlementAmount/currency: BHX is not an active currency"],
    ["amounts/bankSettlementAmount/currency", "JPY", "/amounts/bankSettlementAmount/value: 1250.50 has more digits than JPY allows (0)."],
    ["creditorAccount/currency", "XAU", "/creditorAccount/currency: XAU is not an active currency"],
    ["paymentScheme", { schema: "ZA_RTC" }, "/paymentScheme/schema: only ZA_EFT is accepted here"],
    ["paymentScheme", { schema: "ZA_RTC", schemeData: { other: n("1") } }, "/paymentScheme/schema: only ZA_EFT is accepted here"],
  ])("%s %#", (path, value, detail) => {
    expect(readResult(path, value)).toBe(`422 ${detail}`);
  });

  test("a shape that does not fit is refused before a value that cannot be processed", () => {
    const both = changeMember(changeMember(debit, ["amounts", "bankSettlementAmount", "currency"], "BHX"), ["sequenceType"], "X");
    expect(readDirectDebit(encodeJson(both))).toMatchObject({ ok: false, status: 400 });
  });
});

test("a number is never read as an object, and an object never as a number", () => {
  for (const path of ["debtor/contactDetails", "mandateInformation", "remittanceInformation", "supplementaryData", "instructedAgent"]) {
    expect(readResult(path, n("5"))).toMatch(new RegExp(`^400 /${path}: must be an object`));
  }
  expect(readResult("amounts/bankSettlementAmount/value", { description: "5" })).toBe(
    "400 /amounts/bankSettlementAmount/value: must be a number",
  );
});

test("no refusal repeats an account number or a name, wherever the mistake is", () => {
  const secrets = ["62005551230", "62001872440", "GB33BUKB20201555555555", "Mokoena", "Karoo"];
  const places = [
    "debtorAccount/identification",
    "debtorAccount",
    "creditorAccount/identification",
    "debtor",
    "creditor",
    "supplementaryData",
  ];
  for (const path of places) {
    for (const secret of secrets) {
      const values: Json[] = [
        secret,
        [secret],
        { [secret]: secret },
        { value: { [secret]: secret } },
        { legalName: [secret], [`${secret}1`]: "" },
      ];
      for (const value of values) {
        const text = readResult(path, value);
        // A plain word could be the name of a member: only values that cannot be a name are hidden.
        if (/^\w+$/.test(secret) && !/\d/.test(secret) && path !== "supplementaryData") continue;
        expect(text).not.toContain(secret);
      }
    }
  }
});

test.each(["%j is not a message", "null", "[]", '"x"', "5", "true"])("%j is no message", (text) => {
  expect(readDirectDebit(new TextEncoder().encode(text))).toMatchObject({ ok: false, status: 400 });
});
