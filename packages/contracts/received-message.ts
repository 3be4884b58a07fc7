// The message that made a transaction, whichever flow it is of: a debit of a bank, a debit or a credit of a scheme connector.

import type { Flow } from "@sluice/domain";
import type * as wire from "./generated/records.ts";

export type Received = wire.DirectDebitReceived | wire.CreditTransferReceived;

export function isCredit(received: Received): received is wire.CreditTransferReceived {
  return "credit" in received;
}

/** What a debit and a credit have in common is under the same names. */
export function messageIn(received: Received): wire.DirectDebit | wire.CreditTransfer {
  return isCredit(received) ? received.credit : received.debit;
}

export function flowOf(received: Received): Flow {
  if (isCredit(received)) return "credit";
  return received.flow === "OFF_US" ? "off-us" : "on-us";
}

/** The UETR as Sluice keys by it. */
export function uetrOf(received: Received): string {
  return messageIn(received).transactionIdentifiers.uetr.toLowerCase();
}
