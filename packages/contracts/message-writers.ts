// Messages as JSON text. The order of members is the order in which they are written, the same in every message.

import type * as wire from "./generated/records.ts";
import { amount, array, message, object, pairs, text, token } from "./write-json.ts";
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

const creditParty = object<wire.CreditParty>({
  legalName: text,
  knownAsName: text,
  countryOfResidence: text,
  address,
  contactDetails: object<wire.ContactDetails>({ phoneNumber: text, mobileNumber: text, emailAddress: text }),
  identification: object<wire.PartyIdentification>({ schema: text, identifiers: array(partyIdentifier) }),
});
const party: Write<wire.Party> = creditParty;

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

const paymentTypeInformation = object<wire.PaymentTypeInformation>({
  categoryPurpose: code,
  localInstrument: code,
  serviceLevel: array(code),
});

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
  paymentTypeInformation,
  purpose: code,
  remittanceInformation,
  requestedCollectionDate: text,
  sequenceType: text,
  settlementDate: text,
});

export const creditTransferText: Write<wire.CreditTransfer> = message<wire.CreditTransfer>("CreditTransfer", {
  messageIdentifiers,
  supplementaryData: pairs,
  paymentScheme: object<wire.CreditPaymentScheme>({
    schema: text,
    schemeData: object<wire.CreditSchemeData>({ userReference: text, originatorEchoData: text, businessReference: text }),
  }),
  transactionIdentifiers,
  amounts,
  paymentTypeInformation,
  creditor: creditParty,
  debtor: creditParty,
  creditorAccount: paymentAccount,
  debtorAccount: paymentAccount,
  creditorAgent: institution,
  debtorAgent: institution,
  instructingAgent: institution,
  instructedAgent: institution,
  instructionForCreditorAgent: array(object<wire.CreditorAgentInstruction>({ code: text, information: text })),
  intermediaryAgents: array(institution),
  previousInstructingAgents: array(institution),
  purpose: code,
  remittanceInformation,
  tax: object<wire.Tax>({ totalAmount: amount }),
});

/** A legal name that was absent is kept as the empty text. */
const originalParty: Write<wire.Party> = (read) => creditParty({ ...read, legalName: read.legalName === "" ? null : read.legalName });

const originalTransactionData = object<wire.OriginalTransactionData>({
  paymentMethod: text,
  amounts,
  creditor: originalParty,
  creditorAccount: paymentAccount,
  creditorAgent: institution,
  debtor: originalParty,
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
