// Messages as JSON text. The order of members is the order in which they are written, the same in every message.

import type * as wire from "./generated/records.ts";
import { amount, array, message, number, object, pairs, text, token } from "./write-json.ts";
import type { Write } from "./write-json.ts";

const code = object<wire.Code>({ schema: text, value: text });

const messageIdentifiers = object<wire.MessageIdentifiers>({ messageIdentification: text, creationDateTime: text });

const transactionIdentifiers = object<wire.TransactionIdentifiers>({
  endToEndIdentification: text,
  transactionIdentification: text,
  uetr: text,
  instructionIdentification: text,
});

const amounts = object<wire.Amounts>({ bankSettlementAmount: amount, instructedAmount: amount });

const address = object<wire.Address>({
  addressType: text,
  department: text,
  streetName: text,
  buildingName: text,
  buildingNumber: token,
  floor: token,
  postBox: token,
  postCode: token,
  townName: text,
  townLocationName: text,
  districtName: text,
  countrySubDivision: text,
  country: text,
  addressLine: array(token),
});

const partyIdentifier = object<wire.PartyIdentifier>({ identification: text, issuer: text, scheme: code });

const party = object<wire.Party>({
  legalName: text,
  knownAsName: text,
  countryOfResidence: text,
  address,
  contactDetails: object<wire.ContactDetails>({ phoneNumber: text, mobileNumber: text, emailAddress: text }),
  identification: object<wire.PartyIdentification>({ schema: text, identifiers: array(partyIdentifier) }),
});

const paymentAccount = object<wire.PaymentAccount>({
  identification: object<wire.AccountIdentification>({ schema: text, value: text, issuer: text, scheme: code }),
  proxy: object<wire.AccountProxy>({ schema: text, value: text, namespace: text }),
  currency: text,
  name: text,
  type: code,
});

const institution = object<wire.Institution>({
  bicfi: text,
  memberId: text,
  name: text,
  branch: object<wire.Branch>({ identification: text, name: text, address }),
  lei: text,
  companyRegistration: text,
  additionalIdentifications: array(partyIdentifier),
});

const remittanceType = object<wire.RemittanceType>({ issuer: text, schema: text, value: text });

const structuredRemittance = object<wire.StructuredRemittance>({
  referredDocuments: array(object<wire.ReferredDocument>({ type: remittanceType, documentIdentifier: text })),
  referredDocumentAmount: object<wire.ReferredDocumentAmount>({ duePayableAmount: amount, remittedAmount: amount }),
  creditorReference: object<wire.CreditorReference>({ type: remittanceType, reference: text }),
  additionalRemittanceInformation: array(text),
  originatorReference: text,
});

const remittanceInformation = object<wire.RemittanceInformation>({ unstructured: array(text), structured: array(structuredRemittance) });

const paymentScheme = object<wire.PaymentScheme>({
  schema: text,
  schemeData: object<wire.SchemeData>({
    userReference: text,
    shortenedDebtorAccountNumber: text,
    shortenedCreditorAccountNumber: text,
  }),
});

export const directDebitText: Write<wire.DirectDebit> = message<wire.DirectDebit>("DirectDebit", {
  messageIdentifiers,
  supplementaryData: pairs,
  transactionIdentifiers,
  amounts,
  creditor: party,
  creditorAccount: paymentAccount,
  creditorAgent: institution,
  debtor: party,
  debtorAccount: paymentAccount,
  debtorAgent: institution,
  instructedAgent: institution,
  instructingAgent: institution,
  intermediaryAgents: array(institution),
  mandateInformation: object<wire.Mandate>({
    mandateIdentification: text,
    dateOfSignature: text,
    firstCollectionDate: text,
    finalCollectionDate: text,
    electronicSignature: text,
    frequency: text,
    reason: code,
    trackingDays: token,
  }),
  paymentScheme,
  paymentTypeInformation: object<wire.PaymentTypeInformation>({ categoryPurpose: code, localInstrument: code, serviceLevel: array(code) }),
  purpose: code,
  remittanceInformation,
  requestedCollectionDate: text,
  sequenceType: text,
  settlementDate: text,
});

const originalTransactionData = object<wire.OriginalTransactionData>({
  paymentMethod: text,
  amounts,
  creditor: party,
  creditorAccount: paymentAccount,
  creditorAgent: institution,
  debtor: party,
  debtorAccount: paymentAccount,
  debtorAgent: institution,
  settlementDate: text,
  requestedCollectionDate: text,
  remittanceInformation,
});

export const statusReportText: Write<wire.PaymentStatusReport> = message<wire.PaymentStatusReport>("PaymentStatusReport", {
  messageIdentifiers,
  supplementaryData: pairs,
  originalMessageIdentifiers: messageIdentifiers,
  transactionIdentifiers,
  instructingAgent: institution,
  instructedAgent: institution,
  originalTransactionData,
  paymentScheme,
  status: object<wire.Status>({
    code: text,
    outcome: text,
    reasonInfo: array(object<wire.StatusReason>({ reason: code, additionalInformation: text })),
  }),
});

export type EventIdentifiers = Pick<wire.TransactionIdentifiers, "endToEndIdentification" | "transactionIdentification" | "uetr">;

/** The members of an event posting; `payload` is finished text. */
export interface EventDocument {
  readonly name: string;
  readonly apiVersion: string;
  readonly class: string;
  readonly type: string;
  readonly stageVersion: number;
  readonly actionDate: string | null;
  readonly creationDateTime: string | null;
  readonly tranInfo: { readonly tranUetr: string; readonly direction: string; readonly paymentScheme: string; readonly service: string };
  readonly messageInfo: {
    readonly messageIdentification: string;
    readonly creationDateTime: string;
    readonly httpStatusCode: number | null;
  };
  readonly identifiers: EventIdentifiers | null;
  readonly state: { readonly financialTransactionState: string; readonly transactionState: string } | null;
  readonly transactionInfo: {
    readonly direction: string;
    readonly paymentType: string;
    readonly recordType: string;
    readonly returnType: string | null;
    readonly subService: string | null;
  } | null;
  readonly payload: string;
}

export const eventText: Write<EventDocument> = object<EventDocument>({
  name: text,
  apiVersion: text,
  class: text,
  type: text,
  stageVersion: number,
  actionDate: text,
  creationDateTime: text,
  tranInfo: object<EventDocument["tranInfo"]>({ tranUetr: text, direction: text, paymentScheme: text, service: text }),
  messageInfo: object<EventDocument["messageInfo"]>({ messageIdentification: text, creationDateTime: text, httpStatusCode: number }),
  identifiers: object<EventIdentifiers>({ endToEndIdentification: text, transactionIdentification: text, uetr: text }),
  state: object<NonNullable<EventDocument["state"]>>({ financialTransactionState: text, transactionState: text }),
  transactionInfo: object<NonNullable<EventDocument["transactionInfo"]>>({
    direction: text,
    paymentType: text,
    recordType: text,
    returnType: text,
    subService: text,
  }),
  payload: token,
});
