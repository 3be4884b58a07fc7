// One transaction as its sender and its receiver may see it.
//
// #1 It names no other party: the message says who that is, and each side has the message.

import type { ReceivedSummaryRow, TransactionQuery } from "@sluice/store";
import { formatInstant } from "../../http/bank-answer.ts";
import { formatAmount } from "../../views/control-values.ts";

export type Side = "sent" | "received";

export function ownTransactionView(row: ReceivedSummaryRow, bank: string) {
  return {
    uetr: row.uetr,
    sides: listSides(row, bank),
    state: row.state,
    stageVersion: row.stageVersion,
    scheme: row.scheme,
    flow: row.flow,
    businessDate: row.businessDate,
    amount: formatAmount(row.amountTenThousandths, row.currency),
    currency: row.currency,
    messageIdentification: row.messageIdentification,
    endToEndIdentification: row.search.endToEndIdentification,
    receivedAt: formatInstant(row.receivedAtMs),
    updatedAt: formatInstant(row.updatedAtMs),
  };
}

function listSides({ sender, bank: receiver }: Pick<ReceivedSummaryRow, "sender" | "bank">, bank: string): readonly Side[] {
  return [...(sender === bank ? (["sent"] as const) : []), ...(receiver === bank ? (["received"] as const) : [])];
}

/** What the store is asked for. */
export function sideQuery(side: Side, bank: string): TransactionQuery {
  return side === "sent" ? { sender: bank } : { bank };
}
