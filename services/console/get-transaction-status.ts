// transactionStatus: the state of one's own transaction, as the scheduler's snapshot has it.

import { instantText, type Answering } from "./answer.ts";
import { lookUp, type LookUpPorts } from "./look-up.ts";

export function transactionStatus(ports: LookUpPorts): Answering {
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
      updatedAt: instantText(newest.atMs),
    };
    return { kind: "found", body: JSON.stringify(status) };
  };
}
