// A business day as people see it: planned and actual times, windows missed, closes put back, and each bank's gate with the reason it is closed.

import { gateStanding, type Day, type PlannedWindow } from "@sluice/domain";
import { instantText } from "./answer.ts";
import type { AwaitedCredits } from "./awaited-credits.ts";
import { actionView, decisionView, timeText } from "./control-values.ts";
import { gateReason } from "./gate-reason.ts";

export interface GateView {
  readonly bank: string;
  readonly isOpen: boolean;
  readonly openedAt: string | null;
  /** Null: it is open. */
  readonly reason: string | null;
  readonly lanesAwaited: readonly number[];
  /** Credits that keep it closed; at most 1,000. */
  readonly credits: readonly string[];
  readonly isMoreCredits: boolean;
}

/** `credits`: of banks whose gate waits for credits. */
export function windowReport(day: Day, banks: readonly string[], credits: ReadonlyMap<string, AwaitedCredits>) {
  const { plan } = day;
  return {
    day: day.key,
    scheme: plan.scheme,
    businessDate: plan.businessDate,
    calendarVersion: plan.calendarVersion,
    isVoided: day.isVoided,
    cutOff: plan.windows.length === 0 ? null : instantText(plan.cutOffAtMs),
    windows: plan.windows.map((window) => windowView(day, window)),
    reconciliation:
      plan.windows.length === 0 ? null : { closes: instantText(plan.reconciliationAtMs), closedAt: timeText(day.reconciledAtMs) },
    nextBusinessDate: plan.nextBusinessDate === "" ? null : plan.nextBusinessDate,
    creditsFinal: plan.creditsFinal,
    declarations: declarationsOf(day),
    gates: plan.windows.length === 0 ? [] : banks.map((bank) => gateView(day, bank, credits.get(bank) ?? null)),
    putBacks: day.putBacks.map(({ windowNumber, closesAtMs, atMs, action }) => ({
      window: windowNumber,
      closes: instantText(closesAtMs),
      at: instantText(atMs),
      ...actionView(action),
    })),
    decisions: day.decisions.map((note) => ({ ...decisionView(note), bank: note.bank, credits: note.credits })),
  };
}

function windowView(day: Day, { number, opensAtMs, closesAtMs }: PlannedWindow) {
  const openedAtMs = toldAtMs(day, "WindowOpened", number);
  const closedAtMs = toldAtMs(day, "WindowClosed", number);
  return {
    number,
    state: stateOf(day, number),
    opens: instantText(opensAtMs),
    openedAt: timeText(openedAtMs),
    closes: instantText(closesAtMs),
    closedAt: timeText(closedAtMs),
  };
}

function stateOf({ missed, closed, opened }: Day, number: number): "missed" | "closed" | "open" | "planned" {
  if (missed.includes(number)) return "missed";
  if (closed.includes(number)) return "closed";
  return opened.includes(number) ? "open" : "planned";
}

function toldAtMs(day: Day, kind: "WindowOpened" | "WindowClosed", number: number): number | null {
  return day.told.find(({ marker }) => marker.kind === kind && marker.number === number)?.atMs ?? null;
}

function declarationsOf(day: Day) {
  return day.told.flatMap(({ marker, atMs }) =>
    marker.kind === "CreditsDeclared" ? [{ bank: marker.bank, declaredBy: marker.declaredBy, at: instantText(atMs) }] : [],
  );
}

function gateView(day: Day, bank: string, credits: AwaitedCredits | null): GateView {
  const standing = gateStanding(day, bank);
  return {
    bank,
    isOpen: standing.kind === "open",
    openedAt: standing.kind === "open" ? instantText(standing.openedAtMs) : null,
    reason: gateReason(standing, credits),
    lanesAwaited: standing.kind === "lanes-awaited" ? standing.lanes : [],
    credits: credits?.uetrs ?? [],
    isMoreCredits: credits?.isMore ?? false,
  };
}
