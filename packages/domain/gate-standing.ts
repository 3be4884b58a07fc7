// Why the gate of a bank is closed on a business day, as the day itself knows it: for people. Releases are judged by the lane's markers alone
// (`gate.ts`); this reads the same markers where the day told them, and the declarations behind them.
//
// 1. A gate that was opened stays open; nothing after it closes it again.
// 2. Of several declarations that concern the bank the reason is that of the one which lacks least: the gate opens by whichever is done first.

import type { Day, Declaration } from "./day.ts";

export type GateStanding =
  /** No window on this date: nothing is released. */
  | { readonly kind: "no-window" }
  | { readonly kind: "open"; readonly openedAtMs: number }
  /** It never opened, and the day is over. */
  | { readonly kind: "day-over" }
  | { readonly kind: "not-declared"; readonly declaredBy: "clock" | "connector" | "bank" }
  /** Lanes that have not answered the declaration. */
  | { readonly kind: "lanes-awaited"; readonly lanes: readonly number[] }
  /** Lanes in which a credit to the bank from before the declaration is unresolved. `declaration`: its id. */
  | { readonly kind: "credits-unresolved"; readonly lanes: readonly number[]; readonly declaration: string };

export function gateStanding(day: Day, bank: string): GateStanding {
  const openedAtMs = gateOpenedAtMs(day, bank);
  if (openedAtMs !== null) return { kind: "open", openedAtMs };
  if (day.plan.windows.length === 0) return { kind: "no-window" };
  if (day.reconciledAtMs !== null) return { kind: "day-over" };
  const concerning = day.declarations.filter((declaration) => declaration.bank === null || declaration.bank === bank);
  const nearest = concerning.map((declaration) => lacking(declaration, bank)).toSorted((a, b) => rank(a) - rank(b))[0];
  return nearest ?? { kind: "not-declared", declaredBy: day.plan.creditsFinal };
}

/** Null: it is closed. */
export function gateOpenedAtMs(day: Pick<Day, "told">, bank: string): number | null {
  const opened = day.told.find(({ marker }) => {
    if (marker.kind !== "GateOpened") return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
  return opened?.atMs ?? null;
}

function lacking(declaration: Declaration, bank: string): GateStanding {
  if (declaration.lanesAwaited.length > 0) return { kind: "lanes-awaited", lanes: declaration.lanesAwaited };
  const lanes = declaration.unresolved.find((one) => one.bank === bank)?.lanes ?? [];
  return { kind: "credits-unresolved", lanes, declaration: declaration.id };
}

/** All lanes have answered: nearer to opening than one that still awaits some. */
function rank(standing: GateStanding): number {
  return standing.kind === "credits-unresolved"
    ? standing.lanes.length
    : 1_000 + (standing.kind === "lanes-awaited" ? standing.lanes.length : 0);
}
