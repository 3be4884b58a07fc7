// transactionStatus: the state of the caller's own transaction, from the scheduler's snapshot.

import type { Transaction } from "@sluice/domain";
import { formatInstant, type TransactionQueryHandler } from "../http/bank-answer.ts";
import { lookUp, type LookUpPorts } from "./look-up.ts";

/** The message that made the transaction: another one under its UETR was refused, or repeated it. */
function messageOf({ message }: Transaction): string {
  if (message === null) throw new Error("an orphan is nobody's own");
  return message.messageIdentification;
}

export function transactionStatus(ports: LookUpPorts): TransactionQueryHandler {
  return async (question) => {
    const found = await lookUp(question, ports);
    if (found.kind !== "own") return found;
    const { uetr, state, newest, transaction } = found.own;
    const status = {
      schema: "TransactionStatus",
      uetr,
      messageIdentification: messageOf(transaction),
      state,
      stageVersion: newest.stageVersion,
      businessDate: transaction.businessDate ?? newest.businessDate,
      updatedAt: formatInstant(newest.atMs),
    };
    return { kind: "found", body: JSON.stringify(status) };
  };
}
