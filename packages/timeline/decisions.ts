// People's decisions about a transaction as plain data: those of its snapshot, and the pauses of its bank.

import type { AnyDecodedRecord } from "@sluice/contracts";
import { type BankState, isTerminal, type Item, type Resolution, type Transaction, type TransactionDecision } from "@sluice/domain";
import type { TimelineDecision, TimelineItem, TimelineQuarantine, TimelinePause, TimelineResolution } from "./timeline.ts";

export function toTimelineDecision({ kind, offset, atMs, action, result, why }: TransactionDecision): TimelineDecision {
  const { id, operator, reason } = action;
  return { name: kind, offset: String(offset), atMs, id, operator, reason, result, why };
}

export function formatResult({ result, why }: TimelineDecision): string {
  return why === null ? result : `${result}: ${why}`;
}

export function toTimelineItem({ day, row, cause, state, madeAtMs, settledAtMs, lateAnswers, resolution }: Item): TimelineItem {
  const found = resolution === null ? null : toTimelineResolution(resolution);
  return { day, row, cause, state, madeAtMs, settledAtMs, lateAnswers: lateAnswers.map(({ text }) => text), resolution: found };
}

function toTimelineResolution({ kind, replacedBy, action, atMs, isFinal, confirmed }: Resolution): TimelineResolution {
  const { operator, reason } = action;
  return { kind, replacedBy, operator, reason, atMs, isFinal, confirmedBy: confirmed?.action.operator ?? null };
}

export function toTimelineQuarantine(transaction: Transaction | null): TimelineQuarantine | null {
  if (transaction === null || transaction.quarantined === null) return null;
  const { sinceMs, offset, records } = transaction.quarantined;
  return { sinceMs, offset: String(offset), records };
}

interface Found {
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly decoded: AnyDecodedRecord;
}

/**
 * Lists the pauses of its bank from its first record to its end. The operator is known as far as the bank's decision
 * notes reach.
 */
export function listPauses(transaction: Transaction, bankRecords: readonly Found[], bankState: BankState | null): readonly TimelinePause[] {
  const { transitions, state } = transaction;
  const from = transitions[0]?.offset ?? transaction.applied;
  const last = transitions.at(-1)?.offset ?? transaction.applied;
  const seen = new Set<string>();
  return bankRecords.flatMap(({ offset, appendedAtMs, decoded }) => {
    if (decoded.name !== "BankPaused" && decoded.name !== "BankResumed") return [];
    const { bank, reason, number } = decoded.value;
    const isDuring = offset >= from && (!isTerminal(state) || offset <= last);
    // The marker may have been produced again.
    if (!isDuring || seen.has(`${decoded.name}:${number}`)) return [];
    seen.add(`${decoded.name}:${number}`);
    const operator = findOperator(bankState, decoded.name, number);
    const untilMs = decoded.name === "BankPaused" ? decoded.value.untilMs : null;
    return [{ name: decoded.name, offset: String(offset), atMs: appendedAtMs, bank, operator, reason, untilMs }];
  });
}

function findOperator(bankState: BankState | null, kind: "BankPaused" | "BankResumed", number: number): string | null {
  const notice = bankState?.markers.find(({ marker }) => marker.kind === kind && marker.number === number);
  return bankState?.decisions.find(({ offset }) => offset === notice?.offset)?.action.operator ?? null;
}
