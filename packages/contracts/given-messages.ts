// For tests: messages as parsed JSON (`json.ts`), arbitrary or the sample with a change, and exact JSON text of them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { isJsonObject, numberText, parseJson } from "./json.ts";
import type { Json, JsonObject, PathPart } from "./json.ts";

/** A file of data/messages, as its bytes. */
export function sampleBytes(file: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "..", "..", "data", "messages", file));
}

export function parsed(bytes: Uint8Array | string): Json {
  const result = parseJson(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  if (!result.ok) throw new Error(`${result.path.join("/")}: ${result.reason}`);
  return result.value;
}

export function sample(file: string): JsonObject {
  const value = parsed(sampleBytes(file));
  if (!isJsonObject(value)) throw new Error(`${file} holds no object`);
  return value;
}

export function jsonNumber(text: string): Json {
  return Symbol(text);
}

/** The same with one member set, or left out when `value` is undefined. */
export function changed(json: Json, path: readonly PathPart[], value: Json | undefined): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value ?? null;
  if (Array.isArray(json)) return Object.assign([...json], { [first]: changed(json[Number(first)] ?? null, rest, value) });
  const members: Record<string, Json> = isJsonObject(json) ? { ...json } : {};
  if (rest.length === 0 && value === undefined) delete members[first];
  else members[first] = changed(members[first] ?? null, rest, value);
  return members;
}

/** JSON text with members sorted and every number as it is written: equal for equal messages, digits included. */
export function exactText(json: Json): string {
  if (typeof json === "symbol") return numberText(json);
  if (Array.isArray(json)) return `[${json.map(exactText).join(",")}]`;
  if (!isJsonObject(json)) return JSON.stringify(json);
  const members = Object.keys(json).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${exactText(json[name] ?? null)}`).join(",")}}`;
}

export function bytesOf(json: Json): Uint8Array {
  return new TextEncoder().encode(exactText(json));
}

// ---- arbitrary messages

const letter = fc.constantFrom(...Array.from("aZ09 .,/-'&<éñ漢\u2028😀\"\\{}[]:"));
const asciiLetter = fc.constantFrom(...Array.from('aZ09-/_.@#"\\{}'));

function text(max: number, min = 0): fc.Arbitrary<Json> {
  return fc.string({ unit: letter, minLength: min, maxLength: max });
}
function identifier(max: number): fc.Arbitrary<Json> {
  return fc.string({ unit: asciiLetter, minLength: 1, maxLength: max });
}
function member(shape: Readonly<Record<string, fc.Arbitrary<Json>>>, required: readonly string[]): fc.Arbitrary<Json> {
  return fc.record(shape, { requiredKeys: [...required] });
}
function list(items: fc.Arbitrary<Json>, max: number): fc.Arbitrary<Json> {
  return fc.array(items, { maxLength: max });
}

const number = fc.constantFrom("0", "12", "8001", "-3", "12.50", "0.0").map(jsonNumber);
const textOrNumber: fc.Arbitrary<Json> = fc.oneof(text(70, 1), number);
const date: fc.Arbitrary<Json> = fc.constantFrom("2026-11-20", "2028-02-29", "2026-12-31");
const dateTime = fc.constantFrom("2026-11-20T07:12:03.120+02:00", "2026-11-20T05:12:03Z", "2026-11-20t05:12:60.123456789z");
const code = member({ schema: fc.constantFrom("CODE", "PROPRIETARY"), value: text(35, 1) }, ["schema", "value"]);
const country = fc.constantFrom("ZA", "NA", "GB");

const zar = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 16n - 1n }), fc.constantFrom("", ".0", ".5", ".50", ".00", ".05"))
  .map(([whole, fraction]) => ({ value: jsonNumber(`${whole}${fraction}`), currency: "ZAR" }));
const otherAmount = fc
  .constantFrom(["123456789012345678", "JPY"], ["0", "KWD"], ["12345.678", "BHD"], ["1.2345", "CLF"], ["0.5000", "UYW"])
  .map(([value = "", currency = ""]) => ({ value: jsonNumber(value), currency }));
const amount: fc.Arbitrary<Json> = fc.oneof(zar, otherAmount);
const amounts = member({ bankSettlementAmount: amount, instructedAmount: amount }, ["bankSettlementAmount"]);

const names = ["department", "streetName", "buildingName", "townName", "townLocationName", "districtName", "countrySubDivision"] as const;
const address = member(
  {
    ...Object.fromEntries(names.map((name) => [name, text(70, 1)])),
    addressType: fc.constantFrom("ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"),
    buildingNumber: textOrNumber,
    floor: textOrNumber,
    postBox: textOrNumber,
    postCode: textOrNumber,
    country,
    addressLine: list(textOrNumber, 7),
  },
  [],
);
const identifiers = list(member({ identification: identifier(35), issuer: text(35), scheme: code }, ["identification"]), 3);
const party = member(
  {
    address,
    contactDetails: member({ phoneNumber: text(35), mobileNumber: text(35), emailAddress: text(256) }, []),
    countryOfResidence: country,
    identification: member({ schema: fc.constantFrom("PERSON", "ORGANISATION"), identifiers }, ["schema"]),
    knownAsName: text(140, 1),
    legalName: text(140, 1),
  },
  ["legalName"],
);
const generic = member({ schema: fc.constant("GENERIC"), value: identifier(40), issuer: text(35), scheme: code }, ["schema", "value"]);
const iban = member({ schema: fc.constant("IBAN"), value: fc.constant("GB33BUKB20201555555555") }, ["schema", "value"]);
const proxy = member({ schema: text(35, 1), value: text(80, 1), namespace: text(35) }, ["schema", "value"]);
const accountShape = { identification: fc.oneof(generic, iban), proxy, currency: fc.constant("ZAR"), name: text(70), type: code };
const account = fc.oneof(member(accountShape, ["identification"]), member(accountShape, ["proxy"]));
const institution = member(
  {
    bicfi: fc.constantFrom("FIRNZAJJ", "FIRNZAJJXXX"),
    memberId: identifier(35),
    name: text(140),
    branch: member({ identification: identifier(35), name: text(140), address }, ["identification"]),
    lei: fc.constant("5493001KJTIIGC8Y1R12"),
    companyRegistration: text(35),
    additionalIdentifications: identifiers,
  },
  [],
);
const remittanceType = member({ issuer: text(35), schema: text(35), value: text(35) }, []);
const structured = member(
  {
    referredDocuments: list(member({ type: remittanceType, documentIdentifier: text(35) }, []), 2),
    referredDocumentAmount: member({ duePayableAmount: amount, remittedAmount: amount }, []),
    creditorReference: member({ type: remittanceType, reference: text(35) }, []),
    additionalRemittanceInformation: list(text(140), 2),
    originatorReference: text(35),
  },
  [],
);
const remittanceInformation = member({ unstructured: list(text(140), 3), structured: list(structured, 2) }, []);
const messageIdentifiers = member({ messageIdentification: identifier(35), creationDateTime: dateTime }, [
  "messageIdentification",
  "creationDateTime",
]);
const transactionIdentifiers = member(
  {
    endToEndIdentification: identifier(35),
    transactionIdentification: identifier(35),
    uetr: fc.oneof(
      fc.uuid(),
      fc.uuid().map((uuid) => uuid.toUpperCase()),
    ),
    instructionIdentification: identifier(35),
  },
  ["endToEndIdentification", "uetr"],
);
const pairs: fc.Arbitrary<Json> = fc.dictionary(fc.string({ unit: letter, minLength: 1, maxLength: 70 }), text(100), { maxKeys: 5 });
const shortened = fc.constant("00012345678");
const schemeData = member(
  { userReference: identifier(30), shortenedDebtorAccountNumber: shortened, shortenedCreditorAccountNumber: shortened },
  ["userReference"],
);

export const anyDirectDebit = member(
  {
    schema: fc.constant("DirectDebit"),
    messageIdentifiers,
    supplementaryData: pairs,
    transactionIdentifiers,
    amounts,
    creditor: party,
    creditorAccount: account,
    creditorAgent: institution,
    debtor: party,
    debtorAccount: account,
    debtorAgent: institution,
    instructedAgent: institution,
    instructingAgent: institution,
    intermediaryAgents: list(institution, 3),
    mandateInformation: member(
      {
        mandateIdentification: identifier(35),
        dateOfSignature: date,
        firstCollectionDate: date,
        finalCollectionDate: date,
        electronicSignature: text(200),
        frequency: text(35),
        reason: code,
        trackingDays: fc.oneof(text(35, 1), number),
      },
      [],
    ),
    paymentScheme: member({ schema: fc.constant("ZA_EFT"), schemeData }, ["schema", "schemeData"]),
    paymentTypeInformation: member({ categoryPurpose: code, localInstrument: code, serviceLevel: list(code, 2) }, []),
    purpose: code,
    remittanceInformation,
    requestedCollectionDate: date,
    sequenceType: fc.constantFrom("FRST", "RCUR", "FNAL", "OOFF", "RPRE"),
    settlementDate: date,
  },
  [
    "schema",
    "messageIdentifiers",
    "transactionIdentifiers",
    "amounts",
    "creditor",
    "creditorAgent",
    "debtor",
    "debtorAccount",
    "debtorAgent",
    "paymentScheme",
  ],
);

const originalTransactionData = member(
  {
    amounts,
    creditor: party,
    creditorAccount: account,
    creditorAgent: institution,
    debtor: party,
    debtorAccount: account,
    debtorAgent: institution,
    paymentMethod: text(35, 1),
    settlementDate: date,
    requestedCollectionDate: date,
    remittanceInformation,
  },
  [],
);
const status: fc.Arbitrary<Json> = fc
  .tuple(
    fc.constantFrom(["ACSC", "APPROVED"], ["RJCT", "REJECTED"], ["PDNG", "PENDING"], ["CANC", "CANCELLED"]),
    fc.constantFrom("both", "code", "outcome"),
    fc.option(list(member({ reason: code, additionalInformation: text(100) }, []), 2), { nil: undefined }),
  )
  .map(([[statusCode = "", outcome = ""], given, reasonInfo]) => ({
    ...(given === "outcome" ? {} : { code: statusCode }),
    ...(given === "code" ? {} : { outcome }),
    ...(reasonInfo === undefined ? {} : { reasonInfo }),
  }));

export const anyStatusReport = member(
  {
    schema: fc.constant("PaymentStatusReport"),
    messageIdentifiers,
    supplementaryData: pairs,
    originalMessageIdentifiers: messageIdentifiers,
    transactionIdentifiers,
    instructedAgent: institution,
    instructingAgent: institution,
    originalTransactionData,
    paymentScheme: fc.constant({ schema: "ZA_EFT" }),
    status,
  },
  ["schema", "messageIdentifiers", "originalMessageIdentifiers", "transactionIdentifiers", "paymentScheme", "status"],
);
