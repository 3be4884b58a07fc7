// Parts that messages share, member by member as decisions name them. Each schema reads parsed JSON and answers the Avro type.
// `id` is the name of the shape in JSON Schemas and OpenAPI documents.

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

export const code: Reads<wire.Code> = members({ schema: oneOf(["CODE", "PROPRIETARY"]), value: text(35, 1) }).meta({
  id: "Code",
  description: "A code: of an external list of ISO 20022 (CODE), or of somebody's own (PROPRIETARY).",
});

export const messageIdentifiers: Reads<wire.MessageIdentifiers> = members({
  messageIdentification: identifier(35),
  creationDateTime: dateTime,
}).meta({ id: "MessageIdentifiers", description: "Names one message between two parties. The time is the sender's, and is not judged." });

export const transactionIdentifiers: Reads<wire.TransactionIdentifiers> = members({
  endToEndIdentification: identifier(35),
  transactionIdentification: maybe(identifier(35)),
  uetr: uuid,
  instructionIdentification: maybe(identifier(35)),
}).meta({ id: "TransactionIdentifiers", description: "Names the transaction, the same in every message of it." });

export const extras = maybe(supplementaryData);

const amountDigitsMax = 18;
const amountValue = jsonNumber({
  minimum: 0,
  // The largest, read as a double as most validators do, is this.
  maximum: 10 ** amountDigitsMax,
  description: "Decimal number without exponent, at most 18 digits, none beyond the minor units of the currency (else 422).",
});

/** Not negative, at most 18 digits, its fraction within the minor units of the currency; the digits written are kept. */
export const amount: Reads<wire.Amount> = members({ value: amountValue, currency })
  .transform((read, context) => {
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
  })
  .meta({ id: "Amount", description: "A sum of money. It is passed on with the digits it was written with." });

export const amounts: Reads<wire.Amounts> = members({ bankSettlementAmount: amount, instructedAmount: maybe(amount) }).meta({
  id: "Amounts",
  description:
    "bankSettlementAmount is what is debited or credited, limited and counted. instructedAmount is carried through, and not compared.",
});

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
}).meta({ id: "Address", description: "A postal address. A member given as a number is passed on as that number." });

const partyIdentifiers: Reads<readonly wire.PartyIdentifier[]> = z.array(
  members({ identification: identifier(35), issuer: maybe(text(35)), scheme: maybe(code) }).meta({
    id: "PartyIdentifier",
    description: "One identification of a party or an institution.",
  }),
);

const partyMembers = {
  address: maybe(address),
  contactDetails: maybe(
    members({ phoneNumber: maybe(text(35)), mobileNumber: maybe(text(35)), emailAddress: maybe(text(256)) }).meta({
      id: "ContactDetails",
      description: "How a party can be reached.",
    }),
  ),
  countryOfResidence: maybe(country),
  identification: maybe(
    members({ schema: oneOf(["PERSON", "ORGANISATION"]), identifiers: maybe(partyIdentifiers) }).meta({
      id: "PartyIdentification",
      description: "Identification of a person or an organisation.",
    }),
  ),
  knownAsName: maybe(text(140, 1)),
};

export const party: Reads<wire.Party> = members({ ...partyMembers, legalName: text(140, 1) }).meta({
  id: "Party",
  description: "A debtor or a creditor.",
});

/** Of a credit: every member is optional. */
export const creditParty: Reads<wire.CreditParty> = members({ ...partyMembers, legalName: maybe(text(140, 1)) }).meta({
  id: "CreditParty",
  description: "A debtor or a creditor of a credit: as Party, and its legal name may be absent.",
});

/** In a report on a debit or on a credit; a legal name that is absent is kept as the empty text, which no party can have. */
export const originalParty: Reads<wire.Party> = creditParty.transform((read) => ({ ...read, legalName: read.legalName ?? "" }));

const genericAccount = members({
  schema: z.literal("GENERIC"),
  value: identifier(40),
  issuer: maybe(text(35)),
  scheme: maybe(code),
}).meta({ id: "GenericAccount", description: "The account's number as its bank gives it." });
const ibanAccount = members({
  schema: z.literal("IBAN"),
  value: pattern(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$/, "an IBAN without blanks"),
})
  .transform((iban) => ({ ...iban, issuer: null, scheme: null }))
  .meta({ id: "IbanAccount", description: "The account's IBAN." });

const accountIdentification: Reads<wire.AccountIdentification> = z
  .discriminatedUnion("schema", [genericAccount, ibanAccount])
  .meta({ id: "AccountIdentification", description: "The number of an account." });

export const paymentAccount: Reads<wire.PaymentAccount> = members({
  identification: maybe(accountIdentification),
  proxy: maybe(
    members({ schema: text(35, 1), value: text(2048, 1), namespace: maybe(text(35)) }).meta({
      id: "AccountProxy",
      description: "An alias of an account.",
    }),
  ),
  currency: maybe(currency),
  name: maybe(text(70)),
  type: maybe(code),
})
  .refine((account) => account.identification !== null || account.proxy !== null, "must have an identification or a proxy")
  .meta({
    id: "PaymentAccount",
    description: "An account: by its identification, by a proxy, or both.",
    anyOf: [{ required: ["identification"] }, { required: ["proxy"] }],
  });

const branch: Reads<wire.Branch> = members({ identification: identifier(35), name: maybe(text(140)), address: maybe(address) }).meta({
  id: "Branch",
  description: "A branch of an institution. For a GENERIC account of ZA_EFT the identification is the branch code, six digits.",
});

export const institution: Reads<wire.Institution> = members({
  bicfi: maybe(pattern(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/, "a BIC of ISO 9362, 8 or 11 characters")),
  memberId: maybe(identifier(35)),
  name: maybe(text(140)),
  branch: maybe(branch),
  lei: maybe(pattern(/^[A-Z0-9]{18}[0-9]{2}$/, "an LEI of ISO 17442, 20 characters")),
  companyRegistration: maybe(text(35)),
  additionalIdentifications: maybe(partyIdentifiers),
}).meta({
  id: "InstitutionIdentification",
  description:
    "An institution (agent), by its clearing member number, its BIC or its branch; at least one must lead to a bank where Sluice has to know it.",
});

/** At most three, as the interface bounds intermediary agents. */
export const institutions = z.array(institution).max(3, "must have at most 3 entries");

export const paymentTypeInformation: Reads<wire.PaymentTypeInformation> = members({
  categoryPurpose: maybe(code),
  localInstrument: maybe(code),
  serviceLevel: maybe(z.array(code)),
}).meta({ id: "PaymentTypeInformation", description: "Kind of payment." });

const remittanceType: Reads<wire.RemittanceType> = members({
  issuer: maybe(text(35)),
  schema: maybe(text(35)),
  value: maybe(text(35)),
}).meta({ id: "RemittanceType", description: "Type of a document or of a reference." });

const structuredRemittance: Reads<wire.StructuredRemittance> = members({
  referredDocuments: maybe(z.array(members({ type: maybe(remittanceType), documentIdentifier: maybe(text(35)) }))),
  referredDocumentAmount: maybe(members({ duePayableAmount: maybe(amount), remittedAmount: maybe(amount) })),
  creditorReference: maybe(members({ type: maybe(remittanceType), reference: maybe(text(35)) })),
  additionalRemittanceInformation: maybe(z.array(text(140))),
  originatorReference: maybe(text(35)),
}).meta({ id: "StructuredRemittance", description: "Structured remittance information." });

export const remittanceInformation: Reads<wire.RemittanceInformation> = members({
  unstructured: maybe(z.array(text(140))),
  structured: maybe(z.array(structuredRemittance)),
}).meta({ id: "RemittanceInformation", description: "What the payment is for." });
