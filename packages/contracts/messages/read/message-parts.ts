// Parts that several messages share, member by member as docs/spec/decisions.md D5 names them. Each schema reads parsed
// JSON and returns the Avro type. `id` is the name of the shape in JSON Schemas and OpenAPI documents.

import * as z from "zod";
import { amountScale } from "../json/amount.ts";
import type * as wire from "../../generated/records.ts";
import { minorUnitDigits } from "./iso-4217.ts";
import { numberText } from "../json/json.ts";
import {
  cannotProcess,
  countryCode,
  currencyCode,
  isoDateTime,
  identifierString,
  boundedList,
  numberToken,
  optional,
  object,
  choice,
  matching,
  supplementaryPairs,
  string,
  stringOrNumber,
  uuid,
} from "./message-fields.ts";

/** A schema that reads parsed JSON as the Avro type T. */
type Reads<T> = z.ZodType<T>;

export const codeSchema: Reads<wire.Code> = object({ schema: choice(["CODE", "PROPRIETARY"]), value: string(35, 1) }).meta({
  id: "Code",
  description: "A code: of an external list of ISO 20022 (CODE), or of somebody's own (PROPRIETARY).",
});

export const messageIdentifiersSchema: Reads<wire.MessageIdentifiers> = object({
  messageIdentification: identifierString(35),
  creationDateTime: isoDateTime,
}).meta({ id: "MessageIdentifiers", description: "Names one message between two parties. The time is the sender's, and is not judged." });

export const transactionIdentifiersSchema: Reads<wire.TransactionIdentifiers> = object({
  endToEndIdentification: identifierString(35),
  transactionIdentification: optional(identifierString(35)),
  uetr: uuid,
  instructionIdentification: optional(identifierString(35)),
}).meta({ id: "TransactionIdentifiers", description: "Names the transaction, the same in every message of it." });

export const supplementaryDataSchema = optional(supplementaryPairs);

const amountDigitsMax = 18;
const amountValue = numberToken({
  minimum: 0,
  // The bound is the largest amount read as a double, as most validators read it.
  maximum: 10 ** amountDigitsMax,
  description: "Decimal number without exponent, at most 18 digits, none beyond the minor units of the currency (else 422).",
});

/**
 * An amount that is not negative, has at most 18 digits, and has no more digits after the point than its currency
 * allows. Its written digits are kept.
 */
export const amountSchema: Reads<wire.Amount> = object({ value: amountValue, currency: currencyCode })
  .transform((read, context) => {
    const written = numberText(read.value);
    const [whole = "", fraction = ""] = written.split(".");
    const allowed = minorUnitDigits(read.currency) ?? 0;
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
  })
  .meta({ id: "Amount", description: "A sum of money. It is passed on with the digits it was written with." });

export const amountsSchema: Reads<wire.Amounts> = object({
  bankSettlementAmount: amountSchema,
  instructedAmount: optional(amountSchema),
}).meta({
  id: "Amounts",
  description:
    "bankSettlementAmount is what is debited or credited, limited and counted. instructedAmount is carried through, and not compared.",
});

const addressSchema: Reads<wire.Address> = object({
  addressType: optional(choice(["ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"])),
  department: optional(string(70, 1)),
  streetName: optional(string(70, 1)),
  buildingName: optional(string(70, 1)),
  buildingNumber: optional(stringOrNumber(70)),
  floor: optional(stringOrNumber(70)),
  postBox: optional(stringOrNumber(70)),
  postCode: optional(stringOrNumber(70)),
  townName: optional(string(70, 1)),
  townLocationName: optional(string(70, 1)),
  districtName: optional(string(70, 1)),
  countrySubDivision: optional(string(70, 1)),
  country: optional(countryCode),
  addressLine: optional(boundedList(stringOrNumber(70), 7)),
}).meta({ id: "Address", description: "A postal address. A member given as a number is passed on as that number." });

const partyIdentifiers: Reads<readonly wire.PartyIdentifier[]> = boundedList(
  object({ identification: identifierString(35), issuer: optional(string(35)), scheme: optional(codeSchema) }).meta({
    id: "PartyIdentifier",
    description: "One identification of a party or an institution.",
  }),
  10,
);

const partyMembers = {
  address: optional(addressSchema),
  contactDetails: optional(
    object({ phoneNumber: optional(string(35)), mobileNumber: optional(string(35)), emailAddress: optional(string(256)) }).meta({
      id: "ContactDetails",
      description: "How a party can be reached.",
    }),
  ),
  countryOfResidence: optional(countryCode),
  identification: optional(
    object({ schema: choice(["PERSON", "ORGANISATION"]), identifiers: optional(partyIdentifiers) }).meta({
      id: "PartyIdentification",
      description: "Identification of a person or an organisation.",
    }),
  ),
  knownAsName: optional(string(140, 1)),
};

export const partySchema: Reads<wire.Party> = object({ ...partyMembers, legalName: string(140, 1) }).meta({
  id: "Party",
  description: "A debtor or a creditor.",
});

/** The party of a credit, or of the transaction that a report is about: every member is optional. */
export const creditPartySchema: Reads<wire.CreditParty> = object({ ...partyMembers, legalName: optional(string(140, 1)) }).meta({
  id: "CreditParty",
  description: "A debtor or a creditor of a credit: as Party, and its legal name may be absent.",
});

const genericAccount = object({
  schema: z.literal("GENERIC"),
  value: identifierString(40),
  issuer: optional(string(35)),
  scheme: optional(codeSchema),
}).meta({ id: "GenericAccount", description: "The account's number as its bank gives it." });
const ibanAccount = object({
  schema: z.literal("IBAN"),
  value: matching(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$/, "an IBAN without blanks"),
})
  .transform((iban) => ({ ...iban, issuer: null, scheme: null }))
  .meta({ id: "IbanAccount", description: "The account's IBAN." });

const accountIdentification: Reads<wire.AccountIdentification> = z
  .discriminatedUnion("schema", [genericAccount, ibanAccount], "must be GENERIC or IBAN")
  .meta({ id: "AccountIdentification", description: "The number of an account." });

export const paymentAccountSchema: Reads<wire.PaymentAccount> = object({
  identification: optional(accountIdentification),
  proxy: optional(
    object({ schema: string(35, 1), value: string(2048, 1), namespace: optional(string(35)) }).meta({
      id: "AccountProxy",
      description: "An alias of an account.",
    }),
  ),
  currency: optional(currencyCode),
  name: optional(string(70)),
  type: optional(codeSchema),
})
  .refine((account) => account.identification !== null || account.proxy !== null, "must have an identification or a proxy")
  .meta({
    id: "PaymentAccount",
    description: "An account: by its identification, by a proxy, or both.",
    anyOf: [{ required: ["identification"] }, { required: ["proxy"] }],
  });

const branch: Reads<wire.Branch> = object({
  identification: identifierString(35),
  name: optional(string(140)),
  address: optional(addressSchema),
}).meta({
  id: "Branch",
  description: "A branch of an institution. For a GENERIC account of ZA_EFT the identification is the branch code, six digits.",
});

export const institutionSchema: Reads<wire.Institution> = object({
  bicfi: optional(matching(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/, "a BIC of ISO 9362, 8 or 11 characters")),
  memberId: optional(identifierString(35)),
  name: optional(string(140)),
  branch: optional(branch),
  lei: optional(matching(/^[A-Z0-9]{18}[0-9]{2}$/, "an LEI of ISO 17442, 20 characters")),
  companyRegistration: optional(string(35)),
  additionalIdentifications: optional(partyIdentifiers),
}).meta({
  id: "InstitutionIdentification",
  description:
    "An institution (agent), by its clearing member number, its BIC or its branch; at least one must lead to a bank where Sluice has to know it.",
});

/** At most three institutions, the interface's bound for intermediary agents. */
export const institutionsSchema = boundedList(institutionSchema, 3);

export const paymentTypeInformationSchema: Reads<wire.PaymentTypeInformation> = object({
  categoryPurpose: optional(codeSchema),
  localInstrument: optional(codeSchema),
  serviceLevel: optional(boundedList(codeSchema, 10)),
}).meta({ id: "PaymentTypeInformation", description: "Kind of payment." });

const remittanceType: Reads<wire.RemittanceType> = object({
  issuer: optional(string(35)),
  schema: optional(string(35)),
  value: optional(string(35)),
}).meta({ id: "RemittanceType", description: "Type of a document or of a reference." });

const structuredRemittance: Reads<wire.StructuredRemittance> = object({
  referredDocuments: optional(boundedList(object({ type: optional(remittanceType), documentIdentifier: optional(string(35)) }), 10)),
  referredDocumentAmount: optional(object({ duePayableAmount: optional(amountSchema), remittedAmount: optional(amountSchema) })),
  creditorReference: optional(object({ type: optional(remittanceType), reference: optional(string(35)) })),
  additionalRemittanceInformation: optional(boundedList(string(140), 3)),
  originatorReference: optional(string(35)),
}).meta({ id: "StructuredRemittance", description: "Structured remittance information." });

export const remittanceInformationSchema: Reads<wire.RemittanceInformation> = object({
  unstructured: optional(boundedList(string(140), 20)),
  structured: optional(boundedList(structuredRemittance, 20)),
}).meta({ id: "RemittanceInformation", description: "What the payment is for." });
