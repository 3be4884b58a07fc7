// Names a message in the same way by the request that a caller sent and by the record that the journal has of it.

import type { SentEntry } from "../history.ts";
import { carriedIdentification, type PlacedRecord } from "./evidence.ts";
import { readRecordText } from "./record-members.ts";

const recordTypes = {
  outboundDirectDebit: "DirectDebitReceived",
  inboundDirectDebit: "DirectDebitReceived",
  inboundCreditTransferAuthorization: "CreditTransferReceived",
  inboundDirectDebitResponse: "StatusReportReceived",
  inboundCreditTransferAuthorizationResponse: "StatusReportReceived",
  creditsFinal: "CreditsFinalRequested",
} as const;

type MessageSent = SentEntry & { readonly operation: keyof typeof recordTypes };

/** False for an operator's action. */
export function isMessageSent(request: SentEntry): request is MessageSent {
  return request.operation !== "operatorAction";
}

export function identifyRequest({ bank, operation, uetr, messageIdentification }: MessageSent): string {
  return JSON.stringify([bank, recordTypes[operation], uetr, messageIdentification]);
}

export function identifyMessage(record: PlacedRecord): string {
  const { type, key, value } = record;
  const sender = readRecordText(value, type === "CreditsFinalRequested" ? "requestedBy" : "sender");
  return JSON.stringify([sender, type, key?.toLowerCase(), carriedIdentification(record)]);
}
