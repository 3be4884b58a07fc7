// The credits-final gate of a business day: who may declare, what the lanes answer, when a bank's gate opens.
//
// 1. The plan says who declares: the clock (the first opening), a connector (for all banks), or each bank (for itself); an operator may, whoever
//    the plan says, for all or for one bank. Once for each scope; what is declared for all is declared for each. It cannot be withdrawn.
// 2. No gate opens by a declaration before every lane has answered it (I8).
// 3. The gate of a bank that a lane named opens when every lane that named it has called it clear. A lane's bank once clear stays clear, also
//    where that was heard before the lane's answer: what an answer says is older.
// 4. For all banks the first GateOpened excepts those still named; each of them then has its own, unless it is open by another declaration or by
//    an operator's hand (`gate-opening.ts`). So the gate of a bank that is named opens once.
// 5. After the reconciliation nothing of this changes the day.

import type { BankLanes, Day, Declaration } from "./day.ts";
import { banksNamedMax, declarationsMax } from "./day.ts";
import { countOf, markerBase, tellMarker } from "./day-markers.ts";
import type { DayJudgement } from "./decide-day.ts";
import type { CreditsFinalRequested, DayPlanned, LaneBankClear, LaneCredits, Marker, Place } from "./fact.ts";

export type CreditsRefusal = "other-declares" | "too-many-declarations" | "not-declared" | "no-such-lane" | "too-many-banks";

export function onCreditsFinalRequested(day: Day, fact: CreditsFinalRequested, place: Place): DayJudgement {
  const { creditsFinal, windows } = day.plan;
  if (windows.length === 0) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  const declares = fact.bank === null ? "connector" : "bank";
  if (fact.action === null && creditsFinal !== declares) return { decision: "refused", reason: "other-declares", day };
  if (isDeclared(day, fact.bank)) return { decision: "ignored", reason: "already-declared", day };
  if (day.declarations.length >= declarationsMax) return { decision: "refused", reason: "too-many-declarations", day };
  return { decision: "applied", reason: null, day: declare(day, fact.bank, fact.action === null ? creditsFinal : "operator", place) };
}

/** For all banks (null), or for this one at least. */
export function isDeclared(day: Day, bank: string | null): boolean {
  return day.declarations.some((declaration) => declaration.bank === null || declaration.bank === bank);
}

/** `bank`: the one that it is declared for; null: all. */
export function declare(day: Day, bank: string | null, declaredBy: DayPlanned["creditsFinal"] | "operator", place: Place): Day {
  const number = countOf(day, "CreditsDeclared") + 1;
  const marker: Marker = { ...markerBase(day, "CreditsDeclared", number), kind: "CreditsDeclared", number, bank, declaredBy };
  const lanesAwaited = Array.from({ length: day.plan.lanes }, (_, lane) => lane);
  const declaration: Declaration = { id: marker.id, bank, lanesAwaited, unresolved: [], clearEarly: [] };
  return tellMarker({ ...day, declarations: [...day.declarations, declaration] }, place, marker);
}

export function onLaneCredits(day: Day, fact: LaneCredits, place: Place): DayJudgement {
  const before = day.declarations.find(({ id }) => id === fact.declaration);
  if (before === undefined) return { decision: "refused", reason: "not-declared", day };
  if (fact.lane < 0 || fact.lane >= day.plan.lanes) return { decision: "refused", reason: "no-such-lane", day };
  if (day.reconciledAtMs !== null) return { decision: "ignored", reason: "day-over", day };
  if (!before.lanesAwaited.includes(fact.lane)) return { decision: "ignored", reason: "lane-counted", day };
  const named = [...new Set(fact.banksUnresolved)].filter((bank) => isInScope(before, bank) && !has(before.clearEarly, bank, fact.lane));
  const unresolved = named.reduce((banks, bank) => withLane(banks, bank, fact.lane), before.unresolved);
  if (unresolved.length > banksNamedMax) return { decision: "refused", reason: "too-many-banks", day };
  const after: Declaration = {
    ...before,
    lanesAwaited: before.lanesAwaited.filter((lane) => lane !== fact.lane),
    unresolved,
    clearEarly: withoutLane(before.clearEarly, fact.lane),
  };
  const counted = replaced(day, after);
  if (after.lanesAwaited.length > 0) return { decision: "applied", reason: null, day: counted };
  return { decision: "applied", reason: null, day: openFirst(counted, after, place) };
}

export function onLaneBankClear(day: Day, fact: LaneBankClear, place: Place): DayJudgement {
  const before = day.declarations.find(({ id }) => id === fact.declaration);
  if (before === undefined) return { decision: "refused", reason: "not-declared", day };
  if (fact.lane < 0 || fact.lane >= day.plan.lanes) return { decision: "refused", reason: "no-such-lane", day };
  if (day.reconciledAtMs !== null) return { decision: "ignored", reason: "day-over", day };
  if (before.lanesAwaited.includes(fact.lane)) return clearEarly(day, before, fact);
  if (!has(before.unresolved, fact.bank, fact.lane)) return { decision: "ignored", reason: "bank-clear", day };
  const after: Declaration = { ...before, unresolved: withoutLane(before.unresolved, fact.lane, fact.bank) };
  const cleared = replaced(day, after);
  const isClear = after.lanesAwaited.length === 0 && !after.unresolved.some(({ bank }) => bank === fact.bank);
  const opens = isClear && !isGateOpenOf(day, fact.bank);
  return { decision: "applied", reason: null, day: opens ? openGate(cleared, [fact.bank], [], place) : cleared };
}

function clearEarly(day: Day, before: Declaration, fact: LaneBankClear): DayJudgement {
  if (!isInScope(before, fact.bank) || has(before.clearEarly, fact.bank, fact.lane)) {
    return { decision: "ignored", reason: "bank-clear", day };
  }
  const banks = withLane(before.clearEarly, fact.bank, fact.lane);
  if (banks.length > banksNamedMax) return { decision: "refused", reason: "too-many-banks", day };
  return { decision: "applied", reason: null, day: replaced(day, { ...before, clearEarly: banks }) };
}

/** Every lane has answered: all banks but those still named, or the one that it was declared for. */
function openFirst(day: Day, declaration: Declaration, place: Place): Day {
  if (declaration.bank === null) {
    const except = declaration.unresolved.map(({ bank }) => bank);
    return openGate(day, null, except, place);
  }
  const opens = declaration.unresolved.length === 0 && !isGateOpenOf(day, declaration.bank);
  return opens ? openGate(day, [declaration.bank], [], place) : day;
}

export function isGateOpenOf(day: Day, bank: string): boolean {
  return day.told.some(({ marker }) => {
    if (marker.kind !== "GateOpened") return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
}

/** Clear in all lanes, whatever they still answer. */
export function withoutBank(declaration: Declaration, bank: string): Declaration {
  return { ...declaration, unresolved: declaration.unresolved.filter((one) => one.bank !== bank) };
}

export function openGate(day: Day, banks: readonly string[] | null, except: readonly string[], place: Place): Day {
  const number = countOf(day, "GateOpened") + 1;
  const marker: Marker = { ...markerBase(day, "GateOpened", number), kind: "GateOpened", number, banks, except };
  return tellMarker({ ...day, isGateOpen: true }, place, marker);
}

function isInScope(declaration: Declaration, bank: string): boolean {
  return declaration.bank === null || declaration.bank === bank;
}

function replaced(day: Day, after: Declaration): Day {
  return { ...day, declarations: day.declarations.map((declaration) => (declaration.id === after.id ? after : declaration)) };
}

function has(banks: readonly BankLanes[], bank: string, lane: number): boolean {
  return banks.some((one) => one.bank === bank && one.lanes.includes(lane));
}

/** Sorted by bank, lanes ascending, so that the same facts leave the same text. */
function withLane(banks: readonly BankLanes[], bank: string, lane: number): readonly BankLanes[] {
  const lanes = banks.find((one) => one.bank === bank)?.lanes ?? [];
  const changed: BankLanes = { bank, lanes: [...new Set([...lanes, lane])].toSorted((a, b) => a - b) };
  return [...banks.filter((one) => one.bank !== bank), changed].toSorted((a, b) => (a.bank < b.bank ? -1 : 1));
}

/** Without that lane, of one bank or of all; a bank without a lane is dropped. */
function withoutLane(banks: readonly BankLanes[], lane: number, bank: string | null = null): readonly BankLanes[] {
  return banks
    .map((one) => (bank === null || one.bank === bank ? { ...one, lanes: one.lanes.filter((other) => other !== lane) } : one))
    .filter(({ lanes }) => lanes.length > 0);
}
