// Parts that messages share, member by member as decisions name them. Each schema reads parsed JSON and answers the Avro type.

import * as z from "zod";
import { amountScale } from "./amount.ts";
import type * as wire from "./generated/records.ts";
import { minorUnitsOf } from "./iso-4217.ts";
import { numberText } from "./json.ts";
import {
  cannotProcess,
  country,
  currency,
  dateTime,
  identifier,
  jsonNumber,
  maybe,
  members,
  oneOf,
  pattern,
  supplementaryData,
  text,
  textOrNumber,
  uuid,
} from "./message-fields.ts";

/** What a part is read as. */
type Reads<T> = z.ZodType<T>;

export const code: Reads<wire.Code> = members({ schema: oneOf(["CODE", "PROPRIETARY"]), value: text(35, 1) });

export const messageIdentifiers: Reads<wire.MessageIdentifiers> = members({
  messageIdentification: identifier(35),
  creationDateTime: dateTime,
});

export const transactionIdentifiers: Reads<wire.TransactionIdentifiers> = members({
  endToEndIdentification: identifier(35),
  transactionIdentification: maybe(identifier(35)),
  uetr: uuid,
  instructionIdentification: maybe(identifier(35)),
});

export const extras = maybe(supplementaryData);

const amountDigitsMax = 18;

/** Not negative, at most 18 digits, its fraction within the minor units of the currency; the digits written are kept. */
export const amount: Reads<wire.Amount> = members({ value: jsonNumber, currency }).transform((read, context) => {
  const written = numberText(read.value);
  const [whole = "", fraction = ""] = written.split(".");
  const allowed = minorUnitsOf(read.currency) ?? 0;
  if (written.startsWith("-")) {
    context.addIssue({ code: "custom", message: "must not be negative", path: ["value"] });
    return z.NEVER;
  }
  if (whole.length + fraction.length > amountDigitsMax) {
    context.addIssue({ code: "custom", message: `must have at most ${amountDigitsMax} digits`, path: ["value"] });
    return z.NEVER;
  }
  if (fraction.length > allowed) {
    cannotProcess(context, `${written} has more digits than ${read.currency} allows (${allowed}).`, ["value"]);
    return z.NEVER;
  }
  return { value: BigInt(whole + fraction.padEnd(amountScale, "0")), digits: fraction.length, currency: read.currency };
});

export const amounts: Reads<wire.Amounts> = members({ bankSettlementAmount: amount, instructedAmount: maybe(amount) });

export const address: Reads<wire.Address> = members({
  addressType: maybe(oneOf(["ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"])),
  department: maybe(text(70, 1)),
  streetName: maybe(text(70, 1)),
  buildingName: maybe(text(70, 1)),
  buildingNumber: maybe(textOrNumber(70)),
  floor: maybe(textOrNumber(70)),
  postBox: maybe(textOrNumber(70)),
  postCode: maybe(textOrNumber(70)),
  townName: maybe(text(70, 1)),
  townLocationName: maybe(text(70, 1)),
  districtName: maybe(text(70, 1)),
  countrySubDivision: maybe(text(70, 1)),
  country: maybe(country),
  addressLine: maybe(z.array(textOrNumber(70)).max(7, "must have at most 7 entries")),
});

const partyIdentifiers: Reads<readonly wire.PartyIdentifier[]> = z.array(
  members({ identification: identifier(35), issuer: maybe(text(35)), scheme: maybe(code) }),
);

export const party: Reads<wire.Party> = members({
  address: maybe(address),
  contactDetails: maybe(members({ phoneNumber: maybe(text(35)), mobileNumber: maybe(text(35)), emailAddress: maybe(text(256)) })),
  countryOfResidence: maybe(country),
  identification: maybe(members({ schema: oneOf(["PERSON", "ORGANISATION"]), identifiers: maybe(partyIdentifiers) })),
  knownAsName: maybe(text(140)),
  legalName: text(140, 1),
});

const genericAccount = members({
  schema: z.literal("GENERIC"),
  value: identifier(40),
  issuer: maybe(text(35)),
  scheme: maybe(code),
});
const ibanAccount = members({
  schema: z.literal("IBAN"),
  value: pattern(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$/, "an IBAN without blanks"),
}).transform((iban) => ({ ...iban, issuer: null, scheme: null }));

const accountIdentification: Reads<wire.AccountIdentification> = z.discriminatedUnion("schema", [genericAccount, ibanAccount]);

export const paymentAccount: Reads<wire.PaymentAccount> = members({
  identification: maybe(accountIdentification),
  proxy: maybe(members({ schema: text(35, 1), value: text(2048, 1), namespace: maybe(text(35)) })),
  currency: maybe(currency),
  name: maybe(text(70)),
  type: maybe(code),
}).refine((account) => account.identification !== null || account.proxy !== null, "must have an identification or a proxy");

const branch: Reads<wire.Branch> = members({ identification: identifier(35), name: maybe(text(140)), address: maybe(address) });

export const institution: Reads<wire.Institution> = members({
  bicfi: maybe(pattern(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/, "a BIC of ISO 9362, 8 or 11 characters")),
  memberId: maybe(identifier(35)),
  name: maybe(text(140)),
  branch: maybe(branch),
  lei: maybe(pattern(/^[A-Z0-9]{18}[0-9]{2}$/, "an LEI of ISO 17442, 20 characters")),
  companyRegistration: maybe(text(35)),
  additionalIdentifications: maybe(partyIdentifiers),
});

const remittanceType: Reads<wire.RemittanceType> = members({ issuer: maybe(text(35)), schema: maybe(text(35)), value: maybe(text(35)) });

const structuredRemittance: Reads<wire.StructuredRemittance> = members({
  referredDocuments: maybe(z.array(members({ type: maybe(remittanceType), documentIdentifier: maybe(text(35)) }))),
  referredDocumentAmount: maybe(members({ duePayableAmount: maybe(amount), remittedAmount: maybe(amount) })),
  creditorReference: maybe(members({ type: maybe(remittanceType), reference: maybe(text(35)) })),
  additionalRemittanceInformation: maybe(z.array(text(140))),
  originatorReference: maybe(text(35)),
});

export const remittanceInformation: Reads<wire.RemittanceInformation> = members({
  unstructured: maybe(z.array(text(140))),
  structured: maybe(z.array(structuredRemittance)),
});
