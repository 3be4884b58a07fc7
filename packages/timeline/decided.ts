// What people decided about a transaction, in plain data: of its snapshot, and of its bank the pauses that its lane has passed.

import type { AnyDecoded } from "@sluice/contracts";
import type { BankStanding, DecisionNote, Item, Resolution, Transaction } from "@sluice/domain";
import { isTerminal } from "@sluice/domain";
import type { TimelineDecision, TimelineItem, TimelineParked, TimelinePause, TimelineResolution } from "./timeline.ts";

export function decisionOf({ kind, offset, atMs, action, result, why }: DecisionNote): TimelineDecision {
  const { id, operator, reason } = action;
  return { name: kind, offset: String(offset), atMs, id, operator, reason, result, why };
}

export function resultText({ result, why }: TimelineDecision): string {
  return why === null ? result : `${result}: ${why}`;
}

export function itemOf({ day, row, cause, state, madeAtMs, settledAtMs, lateAnswers, resolution }: Item): TimelineItem {
  const found = resolution === null ? null : resolutionOf(resolution);
  return { day, row, cause, state, madeAtMs, settledAtMs, lateAnswers: lateAnswers.map(({ text }) => text), resolution: found };
}

function resolutionOf({ kind, replacedBy, action, atMs, isFinal, confirmed }: Resolution): TimelineResolution {
  const { operator, reason } = action;
  return { kind, replacedBy, operator, reason, atMs, isFinal, confirmedBy: confirmed?.action.operator ?? null };
}

export function parkedOf(transaction: Transaction | null): TimelineParked | null {
  if (transaction === null || transaction.parked === null) return null;
  const { sinceMs, offset, records } = transaction.parked;
  return { sinceMs, offset: String(offset), records };
}

interface Found {
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly decoded: AnyDecoded;
}

/** From its first record to its end. Who it was is known as far as the bank's own notes reach. */
export function pausesOf(transaction: Transaction, ofBank: readonly Found[], standing: BankStanding | null): readonly TimelinePause[] {
  const { transitions, state } = transaction;
  const from = transitions[0]?.offset ?? transaction.applied;
  const last = transitions.at(-1)?.offset ?? transaction.applied;
  const seen = new Set<string>();
  return ofBank.flatMap(({ offset, appendedAtMs, decoded }) => {
    if (decoded.name !== "BankPaused" && decoded.name !== "BankResumed") return [];
    const { bank, reason, number } = decoded.value;
    const isDuring = offset >= from && (!isTerminal(state) || offset <= last);
    // A marker that was produced again.
    if (!isDuring || seen.has(`${decoded.name}:${number}`)) return [];
    seen.add(`${decoded.name}:${number}`);
    const operator = operatorOf(standing, decoded.name, number);
    const untilMs = decoded.name === "BankPaused" ? decoded.value.untilMs : null;
    return [{ name: decoded.name, offset: String(offset), atMs: appendedAtMs, bank, operator, reason, untilMs }];
  });
}

function operatorOf(standing: BankStanding | null, kind: "BankPaused" | "BankResumed", number: number): string | null {
  const told = standing?.told.find(({ marker }) => marker.kind === kind && marker.number === number);
  return standing?.decisions.find(({ offset }) => offset === told?.offset)?.action.operator ?? null;
}
