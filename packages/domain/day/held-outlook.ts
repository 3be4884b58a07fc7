// Explains why the held debits of a bank and business date have not left, and until when, for operators. What holds for
// all debits of that (bank, day) is read from the day and the bank's state at one moment of the broker clock.
//
// #1 The reasons come in the order in which they have to go away: the day is over, no window is ahead, the bank is
//    paused, the window is not open yet, the gate is closed. If none is left, a debit waits for its turn at the bank's
//    pace.
// #2 Times are planned ones: a window opens and closes by its markers, never before.

import type { Day } from "./day.ts";
import type { GateStatus } from "./gate-status.ts";

export type HeldWaitReason =
  /** The day is not planned yet, so its windows are not known. */
  | "day-not-planned"
  /** The reconciliation close has come, or the date is void: debits become items or are carried over. */
  | "day-over"
  /** No window is ahead: what follows is the reconciliation close, or the next business date. */
  | "no-window-ahead"
  | "bank-paused"
  | "window"
  | "gate"
  /** The debit leaves in its turn, as the bank acknowledges earlier ones. */
  | "turn";

export interface HeldOutlook {
  readonly waitsFor: HeldWaitReason;
  /** When the next window opens, epoch milliseconds; null: one is open, or none is ahead. */
  readonly opensAtMs: number | null;
  /** When the open or next window closes, epoch milliseconds; null: none is ahead. */
  readonly closesAtMs: number | null;
  /** The planned reconciliation close, epoch milliseconds; null: the day is not planned or has no window. */
  readonly reconciliationAtMs: number | null;
}

export function heldOutlook(day: Day | null, gate: GateStatus | null, isReceiverPaused: boolean): HeldOutlook {
  if (day === null) return { waitsFor: "day-not-planned", opensAtMs: null, closesAtMs: null, reconciliationAtMs: null };
  const ahead = day.plan.windows.find(({ number }) => !day.closed.includes(number)) ?? null;
  const isOpen = ahead !== null && day.opened.includes(ahead.number);
  return {
    waitsFor: findReason(day, gate, { isReceiverPaused, isAhead: ahead !== null, isOpen }),
    opensAtMs: ahead === null || isOpen ? null : ahead.opensAtMs,
    closesAtMs: ahead?.closesAtMs ?? null,
    reconciliationAtMs: day.plan.windows.length === 0 ? null : day.plan.reconciliationAtMs,
  };
}

interface Moment {
  readonly isReceiverPaused: boolean;
  readonly isAhead: boolean;
  readonly isOpen: boolean;
}

/** #1 */
function findReason(day: Day, gate: GateStatus | null, { isReceiverPaused, isAhead, isOpen }: Moment): HeldWaitReason {
  if (day.reconciledAtMs !== null || day.isVoided) return "day-over";
  if (!isAhead) return "no-window-ahead";
  if (isReceiverPaused) return "bank-paused";
  if (!isOpen) return "window";
  return gate?.kind === "open" ? "turn" : "gate";
}
