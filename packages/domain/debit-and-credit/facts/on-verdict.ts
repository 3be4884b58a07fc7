// The validator's verdict. It names the message that it is about, and only a verdict on the accepted message counts:
// the validator keeps no state, so it also validates duplicates that are refused.

import { factCause, enterState } from "../entry.ts";
import { parsePath } from "../tables/cell.ts";
import type { AccountVerified, MessageIdentity, RecordPosition } from "../../fact.ts";
import type { FactResult } from "../result.ts";
import { findCell } from "../tables/find-cell.ts";
import type { ReceivedTransaction, Transaction } from "../transaction.ts";

export function onVerdict(transaction: Transaction, fact: AccountVerified, place: RecordPosition): FactResult {
  if (transaction.flow === null || !isAbout(fact, transaction.message)) {
    return { decision: "refused", reason: "other-message-validated", transaction };
  }
  const path = parsePath(transaction.flow, findCell(transaction, fact.verdict));
  if (path === null) return { decision: "ignored", reason: null, transaction };
  let entered: ReceivedTransaction = withVerdict(transaction, fact);
  for (const state of path) entered = enterState(entered, state, factCause(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}

function isAbout({ validatedMessage }: AccountVerified, message: MessageIdentity): boolean {
  return (
    message.sender === validatedMessage.sender &&
    message.messageIdentification === validatedMessage.messageIdentification &&
    message.contentHash === validatedMessage.contentHash
  );
}

/** A bank that was known on receipt stays, because the first events went to it. */
function withVerdict(transaction: ReceivedTransaction, fact: AccountVerified): ReceivedTransaction {
  const { businessDate, carryOversMax, wantsOutcomeReport } = fact;
  if (transaction.flow === "credit") return { ...transaction, businessDate, deadlineMs: fact.deadlineMs ?? transaction.deadlineMs };
  const reconciliationDay = fact.reconciliationDay ?? transaction.reconciliationDay;
  if (transaction.flow === "off-us") return { ...transaction, businessDate, reconciliationDay, carryOversMax };
  const bank = transaction.bank ?? fact.bank;
  return { ...transaction, bank, businessDate, reconciliationDay, carryOversMax, wantsOutcomeReport };
}
