// The members and shapes that docs/spec/decisions.md D5 and D6 name: of each sentence the values that it allows are
// read, and the nearest values that it does not allow are refused.

import { describe, expect, test } from "vitest";
import type { ReadResult } from "../../api.ts";
import { changeMember, encodeJson, jsonNumber as n, readSample } from "../json/json.fixture.ts";
import type { Json } from "../json/json.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";
import { readReportOutcome } from "./report-outcome.ts";

const debit = readSample("outbound-direct-debit.json");
const credit = readSample("scheme-inbound-credit-transfer.json");
const report = readSample("status-report-from-bank.json");

type Row = readonly [says: string, member: string, read: readonly Json[], refused: readonly Json[]];

type Reader = (bytes: Uint8Array) => ReadResult<unknown>;

/** The status with which the message is refused after one member was set; 0: it is read. */
function refusalOf(message: Json, reader: Reader, path: string, value: Json | undefined): number {
  const reading = reader(encodeJson(changeMember(message, path.split("/"), value)));
  return reading.ok ? 0 : reading.status;
}

/** The values that are judged otherwise than the row says; `status` is that of the refused ones. */
function listMisjudged(message: Json, reader: Reader, [, path, read, refused]: Row, status = 400): readonly Json[] {
  const isRefused = (value: Json): boolean => refusalOf(message, reader, path, value) === status;
  return [...read.filter((value) => refusalOf(message, reader, path, value) !== 0), ...refused.filter((value) => !isRefused(value))];
}

const x = (length: number): string => "x".repeat(length);
const many = (count: number, item: Json): Json => Array.from({ length: count }, () => item);
const pairs = (count: number): Json => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const code: Json = { schema: "CODE", value: "SALA" };
const zar: Json = { value: n("1.50"), currency: "ZAR" };
const generic: Json = { schema: "GENERIC", value: "62005551230" };
const party: readonly Json[] = [{ legalName: "x" }, { legalName: "x", knownAsName: "y", countryOfResidence: "ZA" }];
const noParty: readonly Json[] = [{}, { legalName: "x", bicfi: "FIRNZAJJ" }, "x"];
const account: readonly Json[] = [{ identification: generic }, { proxy: { schema: "PHONE", value: "+27" } }];
const noAccount: readonly Json[] = [{}, { legalName: "x" }, "62005551230"];
const agent: readonly Json[] = [{ memberId: "198765" }, { bicfi: "FIRNZAJJ" }];
const noAgent: readonly Json[] = [{ legalName: "x" }, "198765"];

describe("a member of a DirectDebit is required", () => {
  const reference = { userReference: x(30) };
  const named = { messageIdentification: x(35), creationDateTime: "2026-11-20T05:12:03Z" };
  const known = { endToEndIdentification: x(35), uetr };
  test.each<Row>([
    ["schema is DirectDebit [D5 schema]", "schema", ["DirectDebit"], ["CreditTransfer", "directDebit"]],
    [
      "an identification of 1 to 35 characters, and a date-time [D5 messageIdentifiers]",
      "messageIdentifiers",
      [named, { ...named, messageIdentification: "a" }, { ...named, creationDateTime: "2026-11-20T07:12:03+02:00" }],
      [
        { ...named, messageIdentification: x(36) },
        { ...named, messageIdentification: "" },
        { ...named, creationDateTime: "2026-11-20" },
        { messageIdentification: "a" },
      ],
    ],
    [
      "end-to-end identification and UETR are required, two more are optional [D5 transactionIdentifiers]",
      "transactionIdentifiers",
      [known, { ...known, transactionIdentification: x(35), instructionIdentification: x(35) }],
      [
        { endToEndIdentification: x(35) },
        { uetr },
        { ...known, uetr: "no-uuid" },
        { ...known, endToEndIdentification: x(36) },
        { ...known, transactionIdentification: x(36) },
        { ...known, instructionIdentification: x(36) },
      ],
    ],
    [
      "the amount to settle is required, the instructed one optional [D5 amounts]",
      "amounts",
      [{ bankSettlementAmount: zar }, { bankSettlementAmount: zar, instructedAmount: zar }],
      [{}, { instructedAmount: zar }, { bankSettlementAmount: n("1.50") }],
    ],
    ["a Party [D5 creditor]", "creditor", party, noParty],
    ["an institution [D5 creditorAgent]", "creditorAgent", agent, noAgent],
    ["a Party [D5 debtor]", "debtor", party, noParty],
    ["an account [D5 debtorAccount]", "debtorAccount", account, noAccount],
    ["an institution [D5 debtorAgent]", "debtorAgent", agent, noAgent],
    [
      "a scheme, and its data with a reference of 1 to 30 printable characters [D5 paymentScheme]",
      "paymentScheme",
      [
        { schema: "ZA_EFT", schemeData: reference },
        {
          schema: "ZA_EFT",
          schemeData: { userReference: "~", shortenedDebtorAccountNumber: "01234567890", shortenedCreditorAccountNumber: "01234567890" },
        },
      ],
      [
        { schema: "ZA_EFT" },
        { schema: "ZA_EFT", schemeData: {} },
        { schema: "ZA_EFT", schemeData: { userReference: x(31) } },
        { schema: "ZA_EFT", schemeData: { userReference: "é" } },
        { schema: "ZA_EFT", schemeData: { ...reference, shortenedDebtorAccountNumber: "0123456789" } },
        { schema: "ZA_EFT", schemeData: { ...reference, shortenedCreditorAccountNumber: x(11) } },
      ],
    ],
  ])("%s: %s", (...row) => {
    expect(listMisjudged(debit, readDirectDebit, row)).toEqual([]);
    expect(refusalOf(debit, readDirectDebit, row[1], undefined)).toBe(400);
  });
});

describe("a member of a DirectDebit is optional", () => {
  test.each<Row>([
    [
      "at most 50 entries, keys of 70, values of 1,000 characters [D5 supplementaryData]",
      "supplementaryData",
      [pairs(50), { [x(70)]: x(1_000) }],
      [pairs(51), { [x(71)]: "v" }, { k: x(1_001) }, { k: n("1") }],
    ],
    ["an account [D5 creditorAccount]", "creditorAccount", account, noAccount],
    ["an institution [D5 instructedAgent]", "instructedAgent", agent, noAgent],
    ["an institution [D5 instructingAgent]", "instructingAgent", agent, noAgent],
    [
      "at most three institutions [D5 intermediaryAgents]",
      "intermediaryAgents",
      [[], many(3, { memberId: "1" })],
      [many(4, { memberId: "1" }), { memberId: "1" }],
    ],
    ["a mandate [D5 mandateInformation]", "mandateInformation", [{}, { mandateIdentification: "M-1" }], [{ number: "M-1" }, "M-1"]],
    [
      "codes [D5 paymentTypeInformation]",
      "paymentTypeInformation",
      [{}, { categoryPurpose: code, localInstrument: code, serviceLevel: [code, code] }],
      [{ serviceLevel: code }, { categoryPurpose: "SALA" }, { localInstrument: "X" }],
    ],
    ["a code [D5 purpose]", "purpose", [code], ["SALA", {}]],
    [
      "texts of 140 characters, and structured ones [D5 remittanceInformation]",
      "remittanceInformation",
      [{}, { unstructured: [x(140), x(1)], structured: [{}] }],
      [{ unstructured: [x(141)] }, { structured: {} }, "x"],
    ],
    ["a date [D5 requestedCollectionDate]", "requestedCollectionDate", ["2028-02-29"], ["2027-02-29", "2026-11-20T00:00:00Z"]],
    ["a date [D5 settlementDate]", "settlementDate", ["2028-02-29"], ["2027-02-29", n("20261120")]],
    ["one of five [D5 sequenceType]", "sequenceType", ["FRST", "RCUR", "FNAL", "OOFF", "RPRE"], ["FIRST", ""]],
  ])("%s: %s", (...row) => {
    expect(listMisjudged(debit, readDirectDebit, row)).toEqual([]);
    expect(refusalOf(debit, readDirectDebit, row[1], undefined)).toBe(0);
  });
});

describe("an amount", () => {
  const value = "amounts/bankSettlementAmount/value";
  test.each<Row>([
    ["is a decimal number of 0 or more [D5.15]", value, [n("0"), n("0.00"), n("12.5")], [n("-0.01"), n("-1"), "1"]],
    [
      "has no exponent and at most 18 digits [D5.17]",
      value,
      [n("123456789012345678"), n("1234567890123456.78")],
      [n("1e2"), n("1E0"), n("1.5e1"), n("1234567890123456789")],
    ],
  ])("%s", (...row) => expect(listMisjudged(debit, readDirectDebit, row)).toEqual([]));

  test("has a fraction that fits the minor units of an active currency [D5.16]", () => {
    const amount = (text: string, currency: string): Json => ({ bankSettlementAmount: { value: n(text), currency } });
    const read = [amount("1.50", "ZAR"), amount("1", "JPY"), amount("1.505", "KWD")];
    const refused = [amount("1.505", "ZAR"), amount("1.5", "JPY"), amount("1.5005", "KWD"), amount("1", "DEM"), amount("1", "XAU")];
    expect(listMisjudged(debit, readDirectDebit, ["", "amounts", read, refused], 422)).toEqual([]);
  });
});

describe("a direct debit is accepted for ZA_EFT alone", () => {
  test("and another code is answered 422 [D1.7] [D1.8]", () => {
    const scheme = (schema: string): Json => ({ schema, schemeData: { userReference: "x" } });
    const refused = ["ZA_RTC", "ZA_RPP", "ZA_DEBICHECK", "GB_BACS"].map(scheme);
    expect(listMisjudged(debit, readDirectDebit, ["", "paymentScheme", [scheme("ZA_EFT")], refused], 422)).toEqual([]);
  });
});

describe("a shape in a message", () => {
  const party = { legalName: "x" };
  const identifier = { identification: "1", issuer: "x", scheme: code };
  const branch = (more: object): Json => ({ branch: { identification: "051001", ...more } });
  test.each<Row>([
    [
      "a Party has six members, and a name of 1 to 140 characters [D5.19]",
      "creditor",
      [
        { ...party, address: {}, contactDetails: {}, countryOfResidence: "NA", identification: { schema: "PERSON" }, knownAsName: "y" },
        { legalName: x(140) },
      ],
      [{ legalName: "" }, { legalName: x(141) }, { ...party, countryOfResidence: "ZZ" }, { ...party, firstName: "y" }],
    ],
    [
      "a Party is identified as PERSON or ORGANISATION [D5.20]",
      "creditor/identification",
      [{ schema: "PERSON", identifiers: [identifier] }, { schema: "ORGANISATION" }],
      [{ schema: "ROBOT" }, { identifiers: [] }, { schema: "PERSON", identifiers: [{ ...identifier, scheme: "CODE" }] }],
    ],
    [
      "six types of address [D5.21]",
      "debtor/address/addressType",
      ["ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"],
      ["WORK", "addr", code],
    ],
    ...["buildingNumber", "floor", "postBox", "postCode"].map((name): Row => [
      `a text or a number as ${name} [D5.22]`,
      `debtor/address/${name}`,
      ["12A", n("12"), n("0.50")],
      [true, [], {}],
    ]),
    [
      "at most seven address lines, texts or numbers [D5.23]",
      "debtor/address/addressLine",
      [[], ["a", n("12")], many(7, "a")],
      [many(8, "a"), [true], "a"],
    ],
    ...["department", "streetName", "buildingName", "townName", "townLocationName", "districtName", "countrySubDivision"].map(
      (name): Row => [`1 to 70 characters of ${name} [D5.24]`, `debtor/address/${name}`, ["x", x(70)], ["", x(71), n("1")]],
    ),
    [
      "an account has an identification, a proxy or both [D5.25]",
      "debtorAccount",
      [...account, { identification: generic, proxy: { schema: "PHONE", value: "x" } }],
      [{}, { currency: "ZAR", name: "x", type: code }],
    ],
    [
      "an account also has currency, name and type [D5.26]",
      "debtorAccount",
      [{ identification: generic, currency: "ZAR", name: x(70), type: code }],
      [
        { identification: generic, name: x(71) },
        { identification: generic, type: "CACC" },
        { identification: generic, currency: "Rand" },
      ],
    ],
    [
      "an account is identified as GENERIC or IBAN [D5.27]",
      "debtorAccount/identification",
      [generic, { schema: "IBAN", value: "GB33BUKB20201555555555" }],
      [{ schema: "BBAN", value: "1" }, { value: "1" }],
    ],
    [
      "a GENERIC account has value, issuer and scheme [D5.28]",
      "debtorAccount/identification",
      [
        { schema: "GENERIC", value: x(40), issuer: x(35), scheme: code },
        { schema: "GENERIC", value: "1", scheme: { schema: "PROPRIETARY", value: "x" } },
      ],
      [
        { schema: "GENERIC", value: x(41) },
        { schema: "GENERIC", value: "" },
        { schema: "GENERIC", value: "1", issuer: x(36) },
        { schema: "GENERIC", value: "1", scheme: { schema: "OWN", value: "x" } },
      ],
    ],
    [
      "a proxy has schema, value and namespace [D5.29]",
      "debtorAccount/proxy",
      [
        { schema: "PHONE", value: "x" },
        { schema: "PHONE", value: "x", namespace: "y" },
      ],
      [{ schema: "PHONE" }, { value: "x" }, { schema: "PHONE", value: "x", issuer: "y" }],
    ],
    [
      "an institution has seven members [D5.30]",
      "debtorAgent",
      [
        { bicfi: "FIRNZAJJ", memberId: x(35), name: x(140), branch: { identification: "1" } },
        { bicfi: "FIRNZAJJXXX", lei: "5493001KJTIIGC8Y1R12", companyRegistration: x(35), additionalIdentifications: [identifier] },
      ],
      [{ bicfi: "FIRN" }, { memberId: x(36) }, { name: x(141) }, { lei: "1" }, { companyRegistration: x(36) }, { code: "1" }],
    ],
    [
      "a branch needs its identification [D5.31]",
      "debtorAgent",
      [branch({}), branch({ name: "x", address: { townName: "Cape Town" } })],
      [{ branch: {} }, { branch: { name: "x" } }, branch({ number: "1" })],
    ],
    ["a branch code is text [D5.32]", "debtorAgent/branch/identification", ["051001"], [n("51001")]],
    [
      "a Code has schema and value [D5.33]",
      "purpose",
      [code, { schema: "PROPRIETARY", value: "x" }],
      [{ schema: "CODE" }, { value: "x" }, { schema: "OWN", value: "x" }, { ...Object(code), text: "x" }],
    ],
    [
      "each of the eight members of a mandate is optional [D5.34]",
      "mandateInformation",
      [
        {},
        { mandateIdentification: "M" },
        { dateOfSignature: "2026-01-01" },
        { firstCollectionDate: "2026-01-01" },
        { finalCollectionDate: "2026-01-01" },
        { electronicSignature: "x" },
        { frequency: "MNTH" },
        { reason: code },
        { trackingDays: "5" },
      ],
      [{ dateOfSignature: "1 January" }, { reason: "x" }, { amount: zar }],
    ],
    [
      "a structured remittance has an originator's reference too [D5.35]",
      "remittanceInformation/structured",
      [[{ originatorReference: "x" }], [{ referredDocuments: [], creditorReference: {}, additionalRemittanceInformation: ["x"] }]],
      [[{ originatorReference: x(36) }], [{ reference: "x" }]],
    ],
  ])("%s", (...row) => expect(listMisjudged(debit, readDirectDebit, row)).toEqual([]));
});

describe("a CreditTransfer", () => {
  const required: readonly string[] = [
    "schema",
    "messageIdentifiers",
    "transactionIdentifiers",
    "amounts",
    "amounts/bankSettlementAmount",
    "creditorAccount",
    "creditorAgent",
    "debtorAgent",
    "paymentScheme",
  ];

  test("needs nine members, and nothing else [D5.38] [D5.39]", () => {
    const least = Object.fromEntries(Object.entries(credit).filter(([name]) => required.includes(name)));
    const few = changeMember(least, ["amounts"], { bankSettlementAmount: zar });
    expect(refusalOf(few, readCreditTransfer, "schema", "CreditTransfer")).toBe(0);
    for (const path of required) expect([path, refusalOf(few, readCreditTransfer, path, undefined)]).toEqual([path, 400]);
  });

  test("may leave out a party's name, which a debit may not [D5.40]", () => {
    for (const side of ["creditor", "debtor"]) {
      expect(refusalOf(credit, readCreditTransfer, side, { knownAsName: "x" })).toBe(0);
      expect(refusalOf(debit, readDirectDebit, side, { knownAsName: "x" })).toBe(400);
    }
  });

  test.each(["intermediaryAgents", "previousInstructingAgents"])("has at most three %s [D5.41]", (path) => {
    expect(listMisjudged(credit, readCreditTransfer, ["", path, [many(3, {})], [many(4, {})]])).toEqual([]);
  });
});

describe("a PaymentStatusReport", () => {
  const original: Json = {
    amounts: { bankSettlementAmount: zar },
    creditor: {},
    creditorAccount: { identification: generic },
    creditorAgent: {},
    debtor: {},
    debtorAccount: { identification: generic },
    debtorAgent: {},
    paymentMethod: "DD",
    settlementDate: "2026-11-20",
    requestedCollectionDate: "2026-11-20",
    remittanceInformation: {},
  };
  test.each<Row>([
    ["may have one or more parts of the original [D6.1]", "originalTransactionData", [original, {}, { paymentMethod: "DD" }], ["x"]],
    [
      "has eleven members of the original and no other [D6 originalTransactionData]",
      "originalTransactionData",
      [original],
      [{ purpose: code }, { mandateInformation: {} }, { sequenceType: "OOFF" }, { amounts: { instructedAmount: zar } }],
    ],
    [
      "names its scheme, without data [D6 paymentScheme]",
      "paymentScheme",
      [{ schema: "ZA_EFT" }],
      [{ schema: "ZA_EFT", schemeData: {} }, {}, "ZA_EFT"],
    ],
    [
      "gives reasons as codes with words [D6 status]",
      "status",
      [
        { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: code, additionalInformation: "x" }, {}] },
        { code: "RJCT", reasonInfo: [] },
      ],
      [
        { code: "RJCT", reasonInfo: code },
        { code: "RJCT", reasonInfo: [{ reason: "AC04" }] },
        { code: "RJCT", text: "x" },
      ],
    ],
    [
      "has a code, an outcome or both [D6.5]",
      "status",
      [{ code: "ACSC" }, { outcome: "APPROVED" }, { code: "ACSC", outcome: "APPROVED" }],
      [{}, { reasonInfo: [] }],
    ],
  ])("%s", (...row) => expect(listMisjudged(report, readStatusReport, row)).toEqual([]));

  test("with a code and an outcome that disagree, or an unknown code, is answered 422 [D6.6]", () => {
    const codes = ["ACCP", "ACSP", "ACSC", "ACCC"];
    const disagreeing = [...codes.map((one): Json => ({ code: one, outcome: "REJECTED" })), { code: "RJCT", outcome: "APPROVED" }];
    const unknown = ["ACWC", "PART", "x"].map((one): Json => ({ code: one }));
    const agreeing = codes.map((one): Json => ({ code: one, outcome: "APPROVED" }));
    expect(listMisjudged(report, readStatusReport, ["", "status", agreeing, [...disagreeing, ...unknown]], 422)).toEqual([]);
  });

  test.each<[says: string, code: string, outcome: string, meaning: string]>([
    ["was made [D6 ACCP]", "ACCP", "APPROVED", "made"],
    ["was made [D6 ACSP]", "ACSP", "APPROVED", "made"],
    ["was made [D6 ACCC]", "ACCC", "APPROVED", "made"],
    ["was not made [D6 RJCT]", "RJCT", "REJECTED", "not-made"],
    ["was not made [D6 CANC]", "CANC", "CANCELLED", "not-made"],
  ])("says that the debit %s, with the code %s and the outcome %s", (_says, said, outcome, meaning) => {
    for (const status of [{ code: said }, { outcome }, { code: said, outcome }]) {
      const reading = readStatusReport(encodeJson(changeMember(report, ["status"], status)));
      expect(reading.ok ? readReportOutcome(reading.read.message) : reading.error.detail).toBe(meaning);
    }
  });
});
