// Why the held debits of a bank and business date have not left, and until when: for people. What is true of the whole (bank, day), read off
// the day and the bank's standing at one moment of agreed time.
//
// 1. The reasons in the order in which they would have to go: the day is over, no window is ahead, the bank is paused, the window is not open
//    yet, the gate is closed. Where none is left a debit waits for its turn in the bank's pace.
// 2. Times are planned ones: a window opens and closes by its markers, never before.

import type { Day } from "./day.ts";
import type { GateStanding } from "./gate-standing.ts";

export type HeldWaiting =
  /** The day is not planned yet: its windows are not known. */
  | "day-not-planned"
  /** Its reconciliation close has come, or its date was voided: items are made, or it goes over to the next date. */
  | "day-over"
  /** No window is ahead: the reconciliation close, or the next business date. */
  | "no-window-ahead"
  | "bank-paused"
  | "window"
  | "gate"
  /** It leaves in its turn, as the bank acknowledges. */
  | "turn";

export interface HeldOutlook {
  readonly waitsFor: HeldWaiting;
  /** When the window that it waits for opens; null: one is open, or none is ahead. */
  readonly opensAtMs: number | null;
  /** When the open or next window closes; null: none is ahead. */
  readonly closesAtMs: number | null;
  /** Planned reconciliation close; null: the day is not planned. */
  readonly reconciliationAtMs: number | null;
}

export function heldOutlook(day: Day | null, gate: GateStanding | null, isBankPaused: boolean): HeldOutlook {
  if (day === null) return { waitsFor: "day-not-planned", opensAtMs: null, closesAtMs: null, reconciliationAtMs: null };
  const ahead = day.plan.windows.find(({ number }) => !day.closed.includes(number)) ?? null;
  const isOpen = ahead !== null && day.opened.includes(ahead.number);
  return {
    waitsFor: waitsFor(day, gate, { isBankPaused, isAhead: ahead !== null, isOpen }),
    opensAtMs: ahead === null || isOpen ? null : ahead.opensAtMs,
    closesAtMs: ahead?.closesAtMs ?? null,
    reconciliationAtMs: day.plan.windows.length === 0 ? null : day.plan.reconciliationAtMs,
  };
}

interface Moment {
  readonly isBankPaused: boolean;
  readonly isAhead: boolean;
  readonly isOpen: boolean;
}

/** #1 */
function waitsFor(day: Day, gate: GateStanding | null, { isBankPaused, isAhead, isOpen }: Moment): HeldWaiting {
  if (day.reconciledAtMs !== null || day.isVoided) return "day-over";
  if (!isAhead) return "no-window-ahead";
  if (isBankPaused) return "bank-paused";
  if (!isOpen) return "window";
  return gate?.kind === "open" ? "turn" : "gate";
}
