// transactionStatus: the state of the caller's own transaction, from the scheduler's snapshot.

import { formatInstant, type TransactionQueryHandler } from "../http/bank-answer.ts";
import { lookUp, type LookUpPorts } from "./look-up.ts";

export function transactionStatus(ports: LookUpPorts): TransactionQueryHandler {
  return async (question) => {
    const found = await lookUp(question, ports);
    if (found.kind !== "own") return found;
    const { uetr, state, newest, transaction } = found.own;
    const status = {
      schema: "TransactionStatus",
      uetr,
      state,
      stageVersion: newest.stageVersion,
      businessDate: transaction.businessDate ?? newest.businessDate,
      updatedAt: formatInstant(newest.atMs),
    };
    return { kind: "found", body: JSON.stringify(status) };
  };
}
