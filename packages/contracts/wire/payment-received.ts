// The record of the message that created a transaction, of any flow: a debit from a bank, or a debit or credit from a
// scheme connector.

import type { Flow } from "@sluice/domain";
import type * as wire from "../generated/records.ts";

export type PaymentReceived = wire.DirectDebitReceived | wire.CreditTransferReceived;

export function isCreditRecord(received: PaymentReceived): received is wire.CreditTransferReceived {
  return "credit" in received;
}

/** Returns the debit or the credit. What both have in common has the same names. */
export function messageFromRecord(received: PaymentReceived): wire.DirectDebit | wire.CreditTransfer {
  return isCreditRecord(received) ? received.credit : received.debit;
}

export function flowFromRecord(received: PaymentReceived): Flow {
  if (isCreditRecord(received)) return "credit";
  return received.flow === "OFF_US" ? "off-us" : "on-us";
}

/** Returns the UETR in lower case, as Sluice uses it for keys. */
export function uetrFromRecord(received: PaymentReceived): string {
  return messageFromRecord(received).transactionIdentifiers.uetr.toLowerCase();
}
