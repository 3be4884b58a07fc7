// The validator's verdict. It names the message that it judged: only a verdict on the accepted message counts (a refused duplicate is
// judged too, for the validator has no memory).

import type { Cell } from "./cell.ts";
import { statesOf } from "./cell.ts";
import { byFact, enter } from "./entry.ts";
import type { AccountVerified, Place } from "./fact.ts";
import { sentIdentification } from "./ids.ts";
import type { Judgement } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";

export function onVerdict(transaction: Transaction, fact: AccountVerified, place: Place, cell: Cell): Judgement {
  const { message } = transaction;
  const isJudged =
    message !== null &&
    message.sender === fact.judged.sender &&
    message.messageIdentification === fact.judged.messageIdentification &&
    message.contentHash === fact.judged.contentHash;
  if (!isJudged) return { decision: "refused", reason: "other-message-judged", transaction };
  const path = statesOf(cell);
  if (path === null) return { decision: "ignored", reason: null, transaction };
  const identification = sentIdentification(transaction.uetr, fact.verdict === "accepted" ? "A" : "R");
  let entered: Transaction = { ...transaction, bank: fact.bank, businessDate: fact.businessDate, closesWith: fact.closesWith };
  for (const state of path) entered = enter(entered, state, byFact(place), identification, null);
  return { decision: "applied", reason: null, transaction: entered };
}
