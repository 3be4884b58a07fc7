// Explains why the gate of a bank is closed on a business day, for operators. It reads the day's markers and
// declarations. Releases are decided by the partition's markers alone (`release-gate.ts`).
//
// #1 A gate that was opened stays open.
// #2 Of several declarations that concern the bank, the one that is nearest to done gives the reason, because any of
//    them opens the gate.

import { unknownBank } from "./awaited-credit.ts";
import type { Day, Declaration } from "./day.ts";

export type GateStatus =
  /** The date has no window, so nothing is released. */
  | { readonly kind: "no-window" }
  | { readonly kind: "open"; readonly openedAtMs: number }
  /** The day is over and the gate never opened. */
  | { readonly kind: "day-over" }
  | { readonly kind: "not-declared"; readonly declaredBy: "clock" | "connector" | "bank" }
  /** Some partitions have not answered the declaration. */
  | { readonly kind: "partitions-awaited"; readonly partitions: readonly number[] }
  /**
   * In some partitions a credit to the bank, or one that nobody has read, from before the declaration is unresolved.
   * `declaration` is its id.
   */
  | { readonly kind: "credits-unresolved"; readonly partitions: readonly number[]; readonly declaration: string };

export function readGateStatus(day: Day, bank: string): GateStatus {
  const openedAtMs = gateOpenedAtMs(day, bank);
  if (openedAtMs !== null) return { kind: "open", openedAtMs };
  if (day.plan.windows.length === 0) return { kind: "no-window" };
  if (day.reconciledAtMs !== null) return { kind: "day-over" };
  const concerning = day.declarations.filter((declaration) => declaration.bank === null || declaration.bank === bank);
  const nearest = concerning.map((declaration) => describeMissing(declaration, bank)).toSorted((a, b) => rank(a) - rank(b))[0];
  return nearest ?? { kind: "not-declared", declaredBy: day.plan.creditsFinal };
}

/** When the gate of the bank opened, epoch milliseconds; null: it is closed. */
function gateOpenedAtMs(day: Day, bank: string): number | null {
  const opened = day.markers.find(({ marker }) => {
    if (marker.kind !== "GateOpened") return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
  return opened?.atMs ?? null;
}

function describeMissing(declaration: Declaration, bank: string): GateStatus {
  if (declaration.partitionsAwaited.length > 0) return { kind: "partitions-awaited", partitions: declaration.partitionsAwaited };
  const concerning = declaration.unresolved.filter((one) => one.bank === bank || one.bank === unknownBank);
  const partitions = [...new Set(concerning.flatMap((one) => one.partitions))].toSorted((a, b) => a - b);
  return { kind: "credits-unresolved", partitions, declaration: declaration.id };
}

/** A declaration that every partition has answered ranks before one that still awaits answers. */
function rank(status: GateStatus): number {
  return status.kind === "credits-unresolved"
    ? status.partitions.length
    : 1_000 + (status.kind === "partitions-awaited" ? status.partitions.length : 0);
}
