// The validator's verdict. It names the message that it is about, and only a verdict on the accepted message counts:
// the validator keeps no state, so it also validates duplicates that are refused.

import { factCause, enterState } from "../entry.ts";
import { parsePath } from "../tables/cell.ts";
import type { AccountVerified, DayKey, MessageIdentity, RecordPosition } from "../../fact.ts";
import { closesAhead } from "../markers/closes-ahead.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { FactResult } from "../result.ts";
import { findCell } from "../tables/find-cell.ts";
import type { ReceivedTransaction, Transaction } from "../transaction.ts";

export function onVerdict(transaction: Transaction, fact: AccountVerified, place: RecordPosition, partition: PartitionView): FactResult {
  if (transaction.flow === null || !isAbout(fact, transaction.message)) {
    return { decision: "refused", reason: "other-message-validated", transaction };
  }
  const path = parsePath(transaction.flow, findCell(transaction, fact.verdict));
  if (path === null) return { decision: "ignored", reason: null, transaction };
  let entered: ReceivedTransaction = withVerdict(transaction, withTimeToReport(fact, place, partition));
  for (const state of path) entered = enterState(entered, state, factCause(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}

/** Milliseconds that the report of a rejection has at least. */
const reportTimeMinMs = 3_600_000;

/**
 * A rejection may come long after the receipt from which the validator counted. If the close that the verdict names is
 * then less than an hour ahead, the deadline moves to the next close that is not, as far as the partition knows. The
 * business date stays.
 */
function withTimeToReport(fact: AccountVerified, place: RecordPosition, partition: PartitionView): AccountVerified {
  const { verdict, reconciliationDay } = fact;
  if (verdict !== "refused" || reconciliationDay === null) return fact;
  const ofScheme = closesAhead(place, partition).filter(({ day }) => day.startsWith(schemePrefix(reconciliationDay)));
  const named = ofScheme.find(({ day }) => day === reconciliationDay);
  if (named === undefined || named.closesAtMs >= place.appendedAtMs + reportTimeMinMs) return fact;
  const later = ofScheme.find(({ closesAtMs }) => closesAtMs >= place.appendedAtMs + reportTimeMinMs);
  return { ...fact, reconciliationDay: later?.day ?? reconciliationDay };
}

function schemePrefix(day: DayKey): string {
  return day.slice(0, day.lastIndexOf(":") + 1);
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
