// Shows a business day: planned and actual times, missed windows, extended closes, and each bank's gate with the reason
// why it is closed.

import { explainGate, readGateStatus, type Day, type PlannedWindow } from "@sluice/domain";
import { formatInstant } from "../http/bank-answer.ts";
import type { AwaitedCredits } from "../queries/awaited-credits.ts";
import { actionView, decisionView, formatOptionalInstant } from "./control-values.ts";

export interface GateView {
  readonly bank: string;
  readonly isOpen: boolean;
  readonly openedAt: string | null;
  /** Why the gate is closed; null: it is open. */
  readonly reason: string | null;
  readonly partitionsAwaited: readonly number[];
  /** UETRs of the credits that keep it closed; at most 1,000. */
  readonly credits: readonly string[];
  readonly isMoreCredits: boolean;
}

/** `credits` has an entry for each bank whose gate waits for credits. */
export function windowReport(day: Day, banks: readonly string[], credits: ReadonlyMap<string, AwaitedCredits>) {
  const { plan } = day;
  return {
    day: day.key,
    scheme: plan.scheme,
    businessDate: plan.businessDate,
    calendarVersion: plan.calendarVersion,
    isVoided: day.isVoided,
    cutOff: plan.windows.length === 0 ? null : formatInstant(plan.cutOffAtMs),
    windows: plan.windows.map((window) => windowView(day, window)),
    reconciliation:
      plan.windows.length === 0
        ? null
        : { closes: formatInstant(plan.reconciliationAtMs), closedAt: formatOptionalInstant(day.reconciledAtMs) },
    nextBusinessDate: plan.nextBusinessDate,
    creditsFinal: plan.creditsFinal,
    declarations: listDeclarations(day),
    gates: plan.windows.length === 0 ? [] : banks.map((bank) => gateView(day, bank, credits.get(bank) ?? null)),
    putBacks: day.extensions.map(({ windowNumber, closesAtMs, atMs, action }) => ({
      window: windowNumber,
      closes: formatInstant(closesAtMs),
      at: formatInstant(atMs),
      ...actionView(action),
    })),
    decisions: day.decisions.map((note) => ({ ...decisionView(note), bank: note.bank, credits: note.credits })),
  };
}

function windowView(day: Day, { number, opensAtMs, closesAtMs }: PlannedWindow) {
  const openedAtMs = markerTimeMs(day, "WindowOpened", number);
  const closedAtMs = markerTimeMs(day, "WindowClosed", number);
  return {
    number,
    state: windowState(day, number),
    opens: formatInstant(opensAtMs),
    openedAt: formatOptionalInstant(openedAtMs),
    closes: formatInstant(closesAtMs),
    closedAt: formatOptionalInstant(closedAtMs),
  };
}

function windowState({ missed, closed, opened }: Day, number: number): "missed" | "closed" | "open" | "planned" {
  if (missed.includes(number)) return "missed";
  if (closed.includes(number)) return "closed";
  return opened.includes(number) ? "open" : "planned";
}

function markerTimeMs(day: Day, kind: "WindowOpened" | "WindowClosed", number: number): number | null {
  return day.markers.find(({ marker }) => marker.kind === kind && marker.number === number)?.atMs ?? null;
}

function listDeclarations(day: Day) {
  return day.markers.flatMap(({ marker, atMs }) =>
    marker.kind === "CreditsDeclared" ? [{ bank: marker.bank, declaredBy: marker.declaredBy, at: formatInstant(atMs) }] : [],
  );
}

function gateView(day: Day, bank: string, credits: AwaitedCredits | null): GateView {
  const gate = readGateStatus(day, bank);
  return {
    bank,
    isOpen: gate.kind === "open",
    openedAt: gate.kind === "open" ? formatInstant(gate.openedAtMs) : null,
    reason: explainGate(gate, credits),
    partitionsAwaited: gate.kind === "partitions-awaited" ? gate.partitions : [],
    credits: credits?.uetrs ?? [],
    isMoreCredits: credits?.isMore ?? false,
  };
}
