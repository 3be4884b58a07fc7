import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSchemaMisfit } from "./json-schema.fixture.ts";
import {
  anyCreditTransfer,
  anyCreditsFinal,
  anyDirectDebit,
  anyRefused,
  anyStatusReport,
  encodeJson,
  changeMember,
  anyFullCreditTransfer,
  anyFullDirectDebit,
  anyFullStatusReport,
  requiredMembers,
  parseSample,
  readSampleBytes,
  sortedJsonText,
} from "./messages.fixture.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import type { ReadResult } from "../../api.ts";
import { creditTransferText, directDebitText, statusReportText } from "../render/message-writers.ts";
import { messageJsonSchema, type MessageSchemaName, messageSchemas } from "./message-schemas.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readCreditsFinal } from "./read-credits-final.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";

const readers = {
  DirectDebit: { full: anyFullDirectDebit, read: readDirectDebit, through: through(readDirectDebit, directDebitText) },
  CreditTransfer: { full: anyFullCreditTransfer, read: readCreditTransfer, through: through(readCreditTransfer, creditTransferText) },
  PaymentStatusReport: { full: anyFullStatusReport, read: readStatusReport, through: through(readStatusReport, statusReportText) },
} as const;

/** Reads a message, and writes what was read. */
function through<T>(read: (body: Uint8Array) => ReadResult<T>, write: (message: T) => string) {
  return (json: Json): Json => {
    const reading = read(encodeJson(json));
    if (!reading.ok) throw new Error(reading.error.detail);
    return parseSample(write(reading.read.message));
  };
}
const names = Object.keys(messageSchemas) as MessageSchemaName[];

const kinds = [
  { name: "DirectDebit", any: anyDirectDebit, full: anyFullDirectDebit },
  { name: "CreditTransfer", any: anyCreditTransfer, full: anyFullCreditTransfer },
  { name: "PaymentStatusReport", any: anyStatusReport, full: anyFullStatusReport },
  { name: "CreditsFinal", any: anyCreditsFinal, full: anyCreditsFinal },
] as const;

test.each(names)("the JSON Schema of %s describes every shape and is the same on every run", (name) => {
  const schema = messageJsonSchema(name);
  expect(schema.$ref).toBe(`#/$defs/${name}`);
  for (const [id, shape] of Object.entries(schema.$defs ?? {})) {
    expect([id, typeof shape === "object" ? typeof shape.description : ""]).toEqual([id, "string"]);
  }
  expect(JSON.stringify(messageJsonSchema(name))).toBe(JSON.stringify(schema));
});

test.each([
  ["DirectDebit", "outbound-direct-debit.json"],
  ["DirectDebit", "inbound-direct-debit.json"],
  ["PaymentStatusReport", "status-report-from-bank.json"],
  ["PaymentStatusReport", "status-report-rejected.json"],
  ["TransactionStateEvent", "event-direct-debit-held.json"],
  ["ErrorDetail", "error-detail.json"],
] as const)("the %s %s of the samples fits its JSON Schema", (name, file) => {
  expect(findSchemaMisfit(name, readSampleBytes(file))).toBeNull();
});

describe.each(kinds)("what is read as $name", ({ name, any, full }) => {
  test("fits its JSON Schema", () => {
    fc.assert(
      fc.property(fc.oneof(any, full), (json) => {
        expect(findSchemaMisfit(name, encodeJson(json))).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  test("does not fit it where it is refused as not of the schema, but for what JSON Schema cannot say", () => {
    const beyondJsonSchema = ["a date that does not exist"];
    fc.assert(
      fc.property(anyRefused(any, requiredMembers[name]), ({ mistake, status, bytes, isJson }) => {
        if (!isJson || status !== 400 || beyondJsonSchema.some((known) => mistake.startsWith(known))) return;
        expect([mistake, findSchemaMisfit(name, bytes) !== null]).toEqual([mistake, true]);
      }),
      { numRuns: 120 },
    );
  });
});

// The members that the interface names, checked against the published schema.

interface Member {
  readonly name: MessageSchemaName;
  /** The member, and the row of the interface that names it. */
  readonly row: string;
  readonly isRequired: boolean;
}

const ofDebit = members("DirectDebit", {
  required: [
    "schema [2.5 schema]",
    "messageIdentifiers [2.5 messageIdentifiers]",
    "transactionIdentifiers [2.5 transactionIdentifiers]",
    "amounts [2.5 amounts]",
    "creditor [2.5 creditor]",
    "creditorAgent [2.5 creditorAgent]",
    "debtor [2.5 debtor]",
    "debtorAccount [2.5 debtorAccount]",
    "debtorAgent [2.5 debtorAgent]",
    "paymentScheme [2.5 paymentScheme]",
  ],
  optional: [
    "supplementaryData [2.5 supplementaryData]",
    "creditorAccount [2.5 creditorAccount]",
    "instructedAgent [2.5 instructedAgent]",
    "instructingAgent [2.5 instructingAgent]",
    "intermediaryAgents [2.5 intermediaryAgents]",
    "mandateInformation [2.5 mandateInformation]",
    "paymentTypeInformation [2.5 paymentTypeInformation]",
    "purpose [2.5 purpose]",
    "remittanceInformation [2.5 remittanceInformation]",
    "requestedCollectionDate [2.5 requestedCollectionDate]",
    "sequenceType [2.5 sequenceType]",
    "settlementDate [2.5 settlementDate]",
  ],
});
const ofReport = members("PaymentStatusReport", {
  required: [
    "schema [2.6 schema] [D6 schema]",
    "messageIdentifiers [2.6 messageIdentifiers] [D6 messageIdentifiers]",
    "originalMessageIdentifiers [2.6 originalMessageIdentifiers] [D6 originalMessageIdentifiers]",
    "transactionIdentifiers [2.6 transactionIdentifiers] [D6 transactionIdentifiers]",
    "paymentScheme [2.6 paymentScheme]",
    "status [2.6 status]",
  ],
  optional: [
    "supplementaryData [2.6 supplementaryData] [D6 supplementaryData]",
    "instructedAgent [2.6 instructedAgent] [D6 instructedAgent]",
    "instructingAgent [2.6 instructingAgent] [D6 instructingAgent]",
    "originalTransactionData [2.6 originalTransactionData]",
  ],
});
const ofCredit = members("CreditTransfer", {
  required: [
    "schema [2.4 schema]",
    "messageIdentifiers [2.4 messageIdentifiers]",
    "transactionIdentifiers [2.4 transactionIdentifiers]",
    "amounts [2.4 amounts]",
    "creditorAccount [2.4 creditorAccount]",
    "creditorAgent [2.4 creditorAgent]",
    "debtorAgent [2.4 debtorAgent]",
    "paymentScheme [2.4 paymentScheme]",
  ],
  optional: [
    "paymentTypeInformation [2.4 paymentTypeInformation]",
    "creditor [2.4 creditor]",
    "debtor [2.4 debtor]",
    "debtorAccount [2.4 debtorAccount]",
    "instructingAgent [2.4 instructingAgent]",
    "instructedAgent [2.4 instructedAgent]",
    "instructionForCreditorAgent [2.4 instructionForCreditorAgent]",
    "intermediaryAgents [2.4 intermediaryAgents]",
    "previousInstructingAgents [2.4 previousInstructingAgents]",
    "purpose [2.4 purpose]",
    "remittanceInformation [2.4 remittanceInformation]",
    "tax [2.4 tax]",
  ],
});
const allMembers = [...ofDebit, ...ofReport, ...ofCredit];

function members(name: MessageSchemaName, rows: { readonly required: readonly string[]; readonly optional: readonly string[] }) {
  const of =
    (isRequired: boolean) =>
    (row: string): Member => ({ name, row, isRequired });
  return [...rows.required.map(of(true)), ...rows.optional.map(of(false))];
}

const memberName = (row: string): string => row.split(" ")[0] ?? "";

function findShape(name: MessageSchemaName, id: string = name) {
  const shape = messageJsonSchema(name).$defs?.[id];
  if (typeof shape !== "object") throw new Error(`${name} has no shape ${id}`);
  return { properties: Object.keys(shape.properties ?? {}), required: shape.required ?? [] };
}

test.each(allMembers)("a $name (required: $isRequired) may have $row, and every value of it is read", ({ name, row, isRequired }) => {
  const { properties, required } = findShape(name);
  const member = memberName(row);
  expect([member, properties.includes(member), required.includes(member)]).toEqual([member, true, isRequired]);
  const reader = readers[name as keyof typeof readers];
  for (const json of fc.sample(reader.full, { numRuns: 3, seed: 7 })) {
    const without = reader.read(encodeJson(changeMember(json, [member], undefined)));
    expect(without.ok).toBe(!isRequired);
    expect(memberText(reader.through(json), member)).toBe(memberText(json, member));
    expect(reader.read(encodeJson(changeMember(json, [member], true)))).toMatchObject({ ok: false, status: 400 });
  }
});

function memberText(message: Json, member: string): string {
  const value = isJsonObject(message) ? message[member] : undefined;
  if (value === undefined) throw new Error(`the message has no ${member}`);
  return sortedJsonText(value);
}

test("no message has a member that neither the interface nor a decision names", () => {
  for (const name of ["DirectDebit", "PaymentStatusReport", "CreditTransfer"] as const) {
    const known = allMembers.filter((member) => member.name === name).map(({ row }) => memberName(row));
    const extras = name === "CreditTransfer" ? ["supplementaryData"] : [];
    expect(findShape(name).properties.toSorted()).toEqual([...known, ...extras].toSorted());
  }
});

const text70 = ["department", "streetName", "buildingName", "townName", "townLocationName", "districtName", "countrySubDivision"];

test.each<[row: string, id: string, members: readonly string[]]>([
  ["value and currency [2.4 Amount]", "Amount", ["value", "currency"]],
  ["schema and value [2.4 Code]", "Code", ["schema", "value"]],
  ["texts, and numbers in four members [2.4 Address]", "Address", [...text70, "addressType", "country", "addressLine"]],
  ["numbers where texts are expected [2.4 Address]", "Address", ["buildingNumber", "floor", "postBox", "postCode"]],
  ["what a party may have [2.4 Party]", "CreditParty", ["address", "contactDetails", "countryOfResidence", "identification"]],
  ["how it is reached [2.4 Party]", "ContactDetails", ["phoneNumber", "mobileNumber", "emailAddress"]],
  ["how it is identified [2.4 Party]", "PartyIdentification", ["schema", "identifiers"]],
  ["each identification [2.4 Party]", "PartyIdentifier", ["identification", "issuer", "scheme"]],
  ["what an account may have [2.4 Account]", "PaymentAccount", ["identification", "type", "currency"]],
  ["its number [2.4 Account]", "GenericAccount", ["schema", "scheme", "issuer", "value"]],
  ["what an agent may have [2.4 Agent]", "InstitutionIdentification", ["bicfi", "memberId", "name", "branch"]],
  ["its branch [2.4 Agent]", "Branch", ["identification", "name", "address"]],
  [
    "what it may have [2.4 StructuredRemittance]",
    "StructuredRemittance",
    ["referredDocuments", "referredDocumentAmount", "creditorReference", "additionalRemittanceInformation"],
  ],
  ["types of documents and references [2.4 StructuredRemittance]", "RemittanceType", ["issuer", "schema", "value"]],
])("%s: the shape %s has the members of the interface", (_row, id, expected) => {
  expect(findShape("CreditTransfer", id).properties).toEqual(expect.arrayContaining([...expected]));
});

const instead: readonly (readonly [what: string, member: string, value: Json, isRead: boolean])[] = [
  ["scheme data of a credit", "paymentScheme", { schema: "ZA_RTC", schemeData: { originatorEchoData: "o", businessReference: "b" } }, true],
  ["a scheme without data", "paymentScheme", { schema: "ZA_RPP" }, true],
  ["a PROPRIETARY scheme of an account", "creditorAccount", proprietaryAccount("PROPRIETARY"), true],
  ["another kind of scheme of an account", "creditorAccount", proprietaryAccount("OWN"), false],
  ["an account without identification and proxy", "creditorAccount", { currency: "ZAR" }, false],
  ["three intermediary agents", "intermediaryAgents", [{}, {}, {}], true],
  ["four intermediary agents", "intermediaryAgents", [{}, {}, {}, {}], false],
  ["three previous instructing agents", "previousInstructingAgents", [{}, {}, {}], true],
  ["four previous instructing agents", "previousInstructingAgents", [{}, {}, {}, {}], false],
  ["a creditor without a name", "creditor", {}, true],
  ["a creditor with an empty name", "creditor", { legalName: "" }, false],
  ["an instruction without its code", "instructionForCreditorAgent", [{ information: "call" }], true],
  ["a tax without its sum", "tax", {}, true],
];

function proprietaryAccount(schema: string): Json {
  return { identification: { schema: "GENERIC", value: "62005551230", scheme: { schema, value: "ZA_EFT" } } };
}

test.each(instead)("a credit with %s: /%s as %j is read: %s", (_what, member, value, isRead) => {
  const [credit] = fc.sample(anyCreditTransfer, { numRuns: 1, seed: 7 });
  const body = encodeJson(changeMember(credit ?? null, [member], value));
  const reading = readCreditTransfer(body);
  expect(reading.ok || reading.error.detail.startsWith(`/${member}`)).toBe(true);
  expect(reading.ok).toBe(isRead);
  expect(findSchemaMisfit("CreditTransfer", body) === null).toBe(isRead);
});

test("a credit of another scheme cannot be processed, whatever its scheme data", () => {
  const [credit] = fc.sample(anyCreditTransfer, { numRuns: 1, seed: 7 });
  const body = encodeJson(changeMember(credit ?? null, ["paymentScheme"], { schema: "ZA_X", schemeData: [] }));
  const detail = "/paymentScheme/schema: only ZA_EFT, ZA_RTC, ZA_RPP are accepted here";
  expect(readCreditTransfer(body)).toMatchObject({ ok: false, status: 422, error: { schema: "ErrorDetail", detail } });
});

test.each<[Json, number | "read"]>([
  [{ scheme: "ZA_EFT", businessDate: "2026-11-20" }, "read"],
  [{ scheme: "ZA_XYZ", businessDate: "2026-11-20" }, 422],
  [{ scheme: "", businessDate: "2026-11-20" }, 400],
  [{ scheme: "ZA_EFT", businessDate: "20 November" }, 400],
  [{ scheme: "ZA_EFT", businessDate: "2026-11-20", bank: "first" }, 400],
  [{ scheme: "ZA_EFT" }, 400],
])("the declaration %j: %s", (json, expected) => {
  const reading = readCreditsFinal(encodeJson(json));
  expect(reading.ok ? "read" : reading.status).toBe(expected);
});
