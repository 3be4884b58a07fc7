// Test fixture: the parts of arbitrary messages. `OptionalMembers` says whether optional members are drawn at random or
// always present.

import * as fc from "fast-check";
import { jsonNumber } from "../json/json.fixture.ts";
import { countryCodes } from "./iso-3166.ts";
import { currencyCodes, minorUnitDigits } from "./iso-4217.ts";
import type { Json } from "../json/json.ts";

export type OptionalMembers = "by chance" | "always";

type Shape = Readonly<Record<string, fc.Arbitrary<Json>>>;

const letter = fc.constantFrom(...Array.from("aZ09 .,/-'&<éñ漢\u2028😀\"\\{}[]:"));
const asciiLetter = fc.constantFrom(...Array.from('aZ09-/_.@#"\\{}'));

/** Arbitrary text, sometimes of the maximum length and in letters of two code units. */
export function anyText(max: number, min = 0): fc.Arbitrary<Json> {
  const longest = fc.constant("😀".repeat(max));
  return fc.oneof(
    { weight: 19, arbitrary: fc.string({ unit: letter, minLength: min, maxLength: max }) },
    { weight: 1, arbitrary: longest },
  );
}

export function anyIdentifier(max: number): fc.Arbitrary<Json> {
  const longest = fc.constant("~".repeat(max));
  const inner = fc.constant(`a${" ".repeat(max - 2)}b`);
  const usual = fc.string({ unit: asciiLetter, minLength: 1, maxLength: max });
  return fc.oneof({ weight: 18, arbitrary: usual }, { weight: 1, arbitrary: longest }, { weight: 1, arbitrary: inner });
}

export function anyList(items: fc.Arbitrary<Json>, max: number): fc.Arbitrary<Json> {
  return fc.array(items, { maxLength: max });
}

const dayMs = 86_400_000;
const someTime = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 11, 31) });
export const anyDate: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom("2026-11-20", "2028-02-29", "2000-02-29", "0001-01-01", "9999-12-31"),
  someTime.map((ms) => new Date(ms - (ms % dayMs)).toISOString().slice(0, 10)),
);
const anyDateTime: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom("2026-11-20T07:12:03.120+02:00", "2026-11-20T05:12:03Z", "2026-11-20t05:12:60.123456789z", "2026-11-20T00:00:00-12:45"),
  someTime.map((ms) => new Date(ms).toISOString()),
);

const number = fc.constantFrom("0", "12", "8001", "-3", "12.50", "0.0", "123456789012345678901234567890").map(jsonNumber);
export const anyTextOrNumber: fc.Arbitrary<Json> = fc.oneof(anyText(70, 1), number);

const currencies: readonly string[] = currencyCodes();

/**
 * Arbitrary amounts of every active currency, over the whole range of 18 digits and with every allowed number of digits
 * after the point.
 */
export const anyAmount: fc.Arbitrary<Json> = fc
  .tuple(
    fc.oneof(fc.constant("ZAR"), fc.constantFrom(...currencies)),
    fc.nat({ max: 4 }),
    fc.nat({ max: 17 }),
    fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
  )
  .map(([currency, wanted, wholeDigits, drawn]) => {
    const fraction = Math.min(wanted, minorUnitDigits(currency) ?? 0);
    const whole = Math.max(1, Math.min(wholeDigits + 1, 18 - fraction));
    const digits = drawn
      .toString()
      .padStart(18, "0")
      .slice(0, whole + fraction);
    const shown = digits.slice(0, whole).replace(/^0+(?=[0-9])/, "");
    return { value: jsonNumber(fraction === 0 ? shown : `${shown}.${digits.slice(whole)}`), currency };
  });

const text70 = ["department", "streetName", "buildingName", "townName", "townLocationName", "districtName", "countrySubDivision"] as const;

type Member = (shape: Shape, required: readonly string[]) => fc.Arbitrary<Json>;

/** The parts that messages share. */
export function anyParts(optional: OptionalMembers) {
  const member: Member = (shape, required) =>
    fc.record(shape, { requiredKeys: optional === "always" ? Object.keys(shape) : [...required] });
  const code = member({ schema: fc.constantFrom("CODE", "PROPRIETARY"), value: anyText(35, 1) }, ["schema", "value"]);
  const address = buildAddress(member);
  const identifiers = anyList(member({ identification: anyIdentifier(35), issuer: anyText(35), scheme: code }, ["identification"]), 3);
  const pairNames = fc.string({ unit: letter, minLength: 1, maxLength: 70 });
  const pairs: fc.Arbitrary<Json> = fc.dictionary(pairNames, anyText(1000), { minKeys: optional === "always" ? 1 : 0, maxKeys: 5 });
  return {
    member,
    code,
    pairs,
    institution: buildInstitution(member, address, identifiers),
    ...buildParties(member, address, identifiers),
    account: buildAccount(member, code),
    amounts: member({ bankSettlementAmount: anyAmount, instructedAmount: anyAmount }, ["bankSettlementAmount"]),
    remittanceInformation: member({ unstructured: anyList(anyText(140), 3), structured: anyList(buildStructured(member), 2) }, []),
    paymentTypeInformation: member({ categoryPurpose: code, localInstrument: code, serviceLevel: anyList(code, 2) }, []),
    ...buildIdentifiers(member),
  };
}

function buildAddress(member: Member): fc.Arbitrary<Json> {
  return member(
    {
      ...Object.fromEntries(text70.map((name) => [name, anyText(70, 1)])),
      addressType: fc.constantFrom("ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"),
      buildingNumber: anyTextOrNumber,
      floor: anyTextOrNumber,
      postBox: anyTextOrNumber,
      postCode: anyTextOrNumber,
      country: fc.constantFrom(...countryCodes()),
      addressLine: anyList(anyTextOrNumber, 7),
    },
    [],
  );
}

function buildParties(member: Member, address: fc.Arbitrary<Json>, identifiers: fc.Arbitrary<Json>) {
  const shape: Shape = {
    address,
    contactDetails: member({ phoneNumber: anyText(35), mobileNumber: anyText(35), emailAddress: anyText(256) }, []),
    countryOfResidence: fc.constantFrom(...countryCodes()),
    identification: member({ schema: fc.constantFrom("PERSON", "ORGANISATION"), identifiers }, ["schema"]),
    knownAsName: anyText(140, 1),
    legalName: anyText(140, 1),
  };
  return { party: member(shape, ["legalName"]), creditParty: member(shape, []) };
}

function buildAccount(member: Member, code: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const generic = member({ schema: fc.constant("GENERIC"), value: anyIdentifier(40), issuer: anyText(35), scheme: code }, [
    "schema",
    "value",
  ]);
  const ibans = fc.constantFrom("GB33BUKB20201555555555", "NO9386011117947");
  const shape: Shape = {
    identification: fc.oneof(generic, member({ schema: fc.constant("IBAN"), value: ibans }, ["schema", "value"])),
    proxy: member({ schema: anyText(35, 1), value: anyText(2048, 1), namespace: anyText(35) }, ["schema", "value"]),
    currency: fc.constantFrom(...currencies),
    name: anyText(70),
    type: code,
  };
  return fc.oneof(member(shape, ["identification"]), member(shape, ["proxy"]));
}

function buildInstitution(member: Member, address: fc.Arbitrary<Json>, identifiers: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return member(
    {
      bicfi: fc.constantFrom("FIRNZAJJ", "FIRNZAJJXXX"),
      memberId: anyIdentifier(35),
      name: anyText(140),
      branch: member({ identification: anyIdentifier(35), name: anyText(140), address }, ["identification"]),
      lei: fc.constant("5493001KJTIIGC8Y1R12"),
      companyRegistration: anyText(35),
      additionalIdentifications: identifiers,
    },
    [],
  );
}

function buildStructured(member: Member): fc.Arbitrary<Json> {
  const remittanceType = member({ issuer: anyText(35), schema: anyText(35), value: anyText(35) }, []);
  return member(
    {
      referredDocuments: anyList(member({ type: remittanceType, documentIdentifier: anyText(35) }, []), 2),
      referredDocumentAmount: member({ duePayableAmount: anyAmount, remittedAmount: anyAmount }, []),
      creditorReference: member({ type: remittanceType, reference: anyText(35) }, []),
      additionalRemittanceInformation: anyList(anyText(140), 2),
      originatorReference: anyText(35),
    },
    [],
  );
}

function buildIdentifiers(member: Member) {
  const message = { messageIdentification: anyIdentifier(35), creationDateTime: anyDateTime };
  const uuid = fc.uuid();
  const transaction = {
    endToEndIdentification: anyIdentifier(35),
    transactionIdentification: anyIdentifier(35),
    uetr: fc.oneof(
      uuid,
      uuid.map((lower) => lower.toUpperCase()),
    ),
    instructionIdentification: anyIdentifier(35),
  };
  return {
    messageIdentifiers: member(message, ["messageIdentification", "creationDateTime"]),
    transactionIdentifiers: member(transaction, ["endToEndIdentification", "uetr"]),
  };
}
