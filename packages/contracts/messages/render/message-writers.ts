// Writes messages as JSON text. Members are written in the order in which they are listed here, the same in every
// message.

import type * as wire from "../../generated/records.ts";
import {
  type JsonWriter,
  writeAmount,
  writeArray,
  writeMessage,
  writeObject,
  writePairs,
  writeText,
  writeToken,
} from "../json/write-json.ts";

const code = writeObject<wire.Code>({ schema: writeText, value: writeText });

const messageIdentifiers = writeObject<wire.MessageIdentifiers>({ messageIdentification: writeText, creationDateTime: writeText });

const transactionIdentifiers = writeObject<wire.TransactionIdentifiers>({
  endToEndIdentification: writeText,
  transactionIdentification: writeText,
  uetr: writeText,
  instructionIdentification: writeText,
});

const amounts = writeObject<wire.Amounts>({ bankSettlementAmount: writeAmount, instructedAmount: writeAmount });

const address = writeObject<wire.Address>({
  addressType: writeText,
  department: writeText,
  streetName: writeText,
  buildingName: writeText,
  buildingNumber: writeToken,
  floor: writeToken,
  postBox: writeToken,
  postCode: writeToken,
  townName: writeText,
  townLocationName: writeText,
  districtName: writeText,
  countrySubDivision: writeText,
  country: writeText,
  addressLine: writeArray(writeToken),
});

const partyIdentifier = writeObject<wire.PartyIdentifier>({ identification: writeText, issuer: writeText, scheme: code });

const creditParty = writeObject<wire.CreditParty>({
  legalName: writeText,
  knownAsName: writeText,
  countryOfResidence: writeText,
  address,
  contactDetails: writeObject<wire.ContactDetails>({ phoneNumber: writeText, mobileNumber: writeText, emailAddress: writeText }),
  identification: writeObject<wire.PartyIdentification>({ schema: writeText, identifiers: writeArray(partyIdentifier) }),
});
const party: JsonWriter<wire.Party> = creditParty;

const paymentAccount = writeObject<wire.PaymentAccount>({
  identification: writeObject<wire.AccountIdentification>({ schema: writeText, value: writeText, issuer: writeText, scheme: code }),
  proxy: writeObject<wire.AccountProxy>({ schema: writeText, value: writeText, namespace: writeText }),
  currency: writeText,
  name: writeText,
  type: code,
});

const institution = writeObject<wire.Institution>({
  bicfi: writeText,
  memberId: writeText,
  name: writeText,
  branch: writeObject<wire.Branch>({ identification: writeText, name: writeText, address }),
  lei: writeText,
  companyRegistration: writeText,
  additionalIdentifications: writeArray(partyIdentifier),
});

const remittanceType = writeObject<wire.RemittanceType>({ issuer: writeText, schema: writeText, value: writeText });

const structuredRemittance = writeObject<wire.StructuredRemittance>({
  referredDocuments: writeArray(writeObject<wire.ReferredDocument>({ type: remittanceType, documentIdentifier: writeText })),
  referredDocumentAmount: writeObject<wire.ReferredDocumentAmount>({ duePayableAmount: writeAmount, remittedAmount: writeAmount }),
  creditorReference: writeObject<wire.CreditorReference>({ type: remittanceType, reference: writeText }),
  additionalRemittanceInformation: writeArray(writeText),
  originatorReference: writeText,
});

const remittanceInformation = writeObject<wire.RemittanceInformation>({
  unstructured: writeArray(writeText),
  structured: writeArray(structuredRemittance),
});

const paymentTypeInformation = writeObject<wire.PaymentTypeInformation>({
  categoryPurpose: code,
  localInstrument: code,
  serviceLevel: writeArray(code),
});

const paymentScheme = writeObject<wire.PaymentScheme>({
  schema: writeText,
  schemeData: writeObject<wire.SchemeData>({
    userReference: writeText,
    shortenedDebtorAccountNumber: writeText,
    shortenedCreditorAccountNumber: writeText,
  }),
});

export const directDebitText: JsonWriter<wire.DirectDebit> = writeMessage<wire.DirectDebit>("DirectDebit", {
  messageIdentifiers,
  supplementaryData: writePairs,
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
  intermediaryAgents: writeArray(institution),
  mandateInformation: writeObject<wire.Mandate>({
    mandateIdentification: writeText,
    dateOfSignature: writeText,
    firstCollectionDate: writeText,
    finalCollectionDate: writeText,
    electronicSignature: writeText,
    frequency: writeText,
    reason: code,
    trackingDays: writeToken,
  }),
  paymentScheme,
  paymentTypeInformation,
  purpose: code,
  remittanceInformation,
  requestedCollectionDate: writeText,
  sequenceType: writeText,
  settlementDate: writeText,
});

export const creditTransferText: JsonWriter<wire.CreditTransfer> = writeMessage<wire.CreditTransfer>("CreditTransfer", {
  messageIdentifiers,
  supplementaryData: writePairs,
  paymentScheme: writeObject<wire.CreditPaymentScheme>({
    schema: writeText,
    schemeData: writeObject<wire.CreditSchemeData>({
      userReference: writeText,
      originatorEchoData: writeText,
      businessReference: writeText,
    }),
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
  instructionForCreditorAgent: writeArray(writeObject<wire.CreditorAgentInstruction>({ code: writeText, information: writeText })),
  intermediaryAgents: writeArray(institution),
  previousInstructingAgents: writeArray(institution),
  purpose: code,
  remittanceInformation,
  tax: writeObject<wire.Tax>({ totalAmount: writeAmount }),
});

const originalTransactionData = writeObject<wire.OriginalTransactionData>({
  paymentMethod: writeText,
  amounts,
  creditor: creditParty,
  creditorAccount: paymentAccount,
  creditorAgent: institution,
  debtor: creditParty,
  debtorAccount: paymentAccount,
  debtorAgent: institution,
  settlementDate: writeText,
  requestedCollectionDate: writeText,
  remittanceInformation,
});

export const statusReportText: JsonWriter<wire.PaymentStatusReport> = writeMessage<wire.PaymentStatusReport>("PaymentStatusReport", {
  messageIdentifiers,
  supplementaryData: writePairs,
  originalMessageIdentifiers: messageIdentifiers,
  transactionIdentifiers,
  instructingAgent: institution,
  instructedAgent: institution,
  originalTransactionData,
  paymentScheme,
  status: writeObject<wire.Status>({
    code: writeText,
    outcome: writeText,
    reasonInfo: writeArray(writeObject<wire.StatusReason>({ reason: code, additionalInformation: writeText })),
  }),
});
