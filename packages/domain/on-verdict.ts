// The validator's verdict. It names the message that it judged: only a verdict on the accepted message counts (a refused duplicate is
// judged too, for the validator has no memory).

import { byFact, enter } from "./entry.ts";
import { statesOf } from "./cell.ts";
import type { AccountVerified, Place } from "./fact.ts";
import type { Judgement } from "./outcome.ts";
import { flowOf } from "./state-messages.ts";
import { cellOf } from "./table.ts";
import type { Transaction } from "./transaction.ts";

export function onVerdict(transaction: Transaction, fact: AccountVerified, place: Place): Judgement {
  const { message } = transaction;
  const isJudged =
    message !== null &&
    message.sender === fact.judged.sender &&
    message.messageIdentification === fact.judged.messageIdentification &&
    message.contentHash === fact.judged.contentHash;
  if (!isJudged) return { decision: "refused", reason: "other-message-judged", transaction };
  const path = statesOf(flowOf(transaction), cellOf(transaction, fact.verdict));
  if (path === null) return { decision: "ignored", reason: null, transaction };
  let entered = withVerdict(transaction, fact);
  for (const state of path) entered = enter(entered, state, byFact(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}

/** The bank that was known on receipt stays: its events have gone there. */
function withVerdict(transaction: Transaction, fact: AccountVerified): Transaction {
  const isCredit = transaction.flow === "credit";
  return {
    ...transaction,
    bank: transaction.bank ?? fact.bank,
    businessDate: fact.businessDate,
    closesWith: isCredit ? "" : fact.closesWith,
    deadlineMs: isCredit ? (fact.deadlineMs ?? transaction.deadlineMs) : null,
    rollsMax: isCredit ? 0 : fact.rollsMax,
    wantsOutcomeReport: transaction.flow === "on-us" && fact.wantsOutcomeReport,
  };
}
