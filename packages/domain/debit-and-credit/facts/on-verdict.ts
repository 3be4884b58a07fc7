// The validator's verdict. It names the message that it is about, and only a verdict on the accepted message counts:
// the validator keeps no state, so it also validates duplicates that are refused.

import { factCause, enterState } from "../entry.ts";
import { parsePath } from "../tables/cell.ts";
import type { AccountVerified, RecordPosition } from "../../fact.ts";
import type { FactResult } from "../result.ts";
import { requireFlow } from "../tables/state-messages.ts";
import { findCell } from "../tables/find-cell.ts";
import type { Transaction } from "../transaction.ts";

export function onVerdict(transaction: Transaction, fact: AccountVerified, place: RecordPosition): FactResult {
  const { message } = transaction;
  const isOfMessage =
    message !== null &&
    message.sender === fact.validatedMessage.sender &&
    message.messageIdentification === fact.validatedMessage.messageIdentification &&
    message.contentHash === fact.validatedMessage.contentHash;
  if (!isOfMessage) return { decision: "refused", reason: "other-message-validated", transaction };
  const path = parsePath(requireFlow(transaction), findCell(transaction, fact.verdict));
  if (path === null) return { decision: "ignored", reason: null, transaction };
  let entered = withVerdict(transaction, fact);
  for (const state of path) entered = enterState(entered, state, factCause(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}

/** A bank that was known on receipt stays, because the first events went to it. */
function withVerdict(transaction: Transaction, fact: AccountVerified): Transaction {
  const isCredit = transaction.flow === "credit";
  return {
    ...transaction,
    bank: transaction.bank ?? fact.bank,
    businessDate: fact.businessDate,
    reconciliationDay: isCredit ? "" : fact.reconciliationDay,
    deadlineMs: isCredit ? (fact.deadlineMs ?? transaction.deadlineMs) : null,
    carryOversMax: isCredit ? 0 : fact.carryOversMax,
    wantsOutcomeReport: transaction.flow === "on-us" && fact.wantsOutcomeReport,
  };
}
