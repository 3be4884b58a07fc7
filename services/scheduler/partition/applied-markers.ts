// The markers that a partition has applied, by day and by bank, in order of offset. `decide` looks at them, and the
// partition's document keeps them.
//
// #1 A repeat (same id) is not applied twice: the copy with the lowest offset counts. Those of banks are in a
//    `PauseHistory`.
// #2 Of each scheme the newest `datesKeptMax` dates are kept. A day is planned at most a week ahead and a close leaves
//    nothing unresolved, so a forgotten day was closed weeks ago. It counts as reconciled: a transaction that returns
//    from the dead letters that late is closed too, instead of being held for ever.
// #3 Declarations and gates are kept of the dates that are open and of the newest `reconciledDatesKeptMax` others of a
//    scheme: there are two of them for each bank, and with all of them the document would outgrow the store's 16 MiB.
//    A reconciled date releases nothing. A debit that its close finds later than that is an item all the same; its
//    cause then says that the gate was closed.

import {
  type AppliedBankMarker,
  type AppliedMarker,
  type BankMarker,
  type DayKey,
  dayKey,
  fromPlainMarker,
  type Marker,
  type PartitionView,
  PauseHistory,
  type PlainMarker,
  type RecordPosition,
  toPlainMarker,
} from "@sluice/domain";
import { assert } from "@sluice/kernel";

export const datesKeptMax = 64;
/** #3 */
const reconciledDatesKeptMax = 3;

/** All markers that a partition has applied and still keeps. */
export interface MarkerHistory {
  readonly ofDays: readonly AppliedMarker[];
  readonly ofBanks: readonly AppliedBankMarker[];
}

export const emptyMarkerHistory: MarkerHistory = { ofDays: [], ofBanks: [] };

/** The form in the partition's document: plain JSON. */
interface PartitionState {
  readonly markers: readonly PlainMarker<Marker>[];
  readonly ofBanks?: readonly PlainMarker<BankMarker>[];
}

export interface AppliedMarkers extends PartitionView {
  /** Applies a marker of a day. Returns false for a repeat, and for a day that is forgotten. */
  apply(marker: Marker, position: RecordPosition): boolean;
  /** Applies a marker of a bank. Returns false for a repeat. */
  applyBankMarker(marker: BankMarker, position: RecordPosition): boolean;
  history(): MarkerHistory;
  toState(): PartitionState;
}

export function createAppliedMarkers(partition: number, before: MarkerHistory = emptyMarkerHistory): AppliedMarkers {
  const ofBanks = new PauseHistory<BankMarker>(before.ofBanks);
  const byDay = new Map<DayKey, AppliedMarker[]>();
  const ids = new Set<string>();
  /** The newest day whose declarations and gates are forgotten, by scheme (#3). */
  const gatesForgottenTo = new Map<string, DayKey>();
  /** The oldest day kept, by scheme; set once older days are forgotten. */
  const oldestKept = new Map<string, DayKey>();

  function pass(marker: Marker, position: RecordPosition): boolean {
    if (ids.has(marker.id)) return false;
    const day = dayKey(marker.scheme, marker.businessDate);
    if (!byDay.has(day) && !makeRoom(marker)) return false;
    if (isOfGate(marker) && isReconciledDay(day) && day <= (gatesForgottenTo.get(marker.scheme) ?? "")) return false;
    ids.add(marker.id);
    const known = byDay.get(day);
    byDay.set(day, [...(known ?? []), { marker, position }]);
    if (known === undefined) noteOldest(marker.scheme);
    if (marker.kind === "DayReconciled") forgetGates(marker.scheme);
    return true;
  }

  /** #3 */
  function forgetGates(scheme: string): void {
    for (const day of listDays(scheme).filter(isReconciledDay).slice(0, -reconciledDatesKeptMax)) {
      const applied = byDay.get(day) ?? [];
      const others = applied.filter(({ marker }) => !isOfGate(marker));
      for (const { marker } of applied) if (isOfGate(marker)) ids.delete(marker.id);
      byDay.set(day, others);
      gatesForgottenTo.set(scheme, day);
    }
  }

  function isReconciledDay(day: DayKey): boolean {
    return byDay.get(day)?.some(({ marker }) => marker.kind === "DayReconciled") === true;
  }

  function listDays(scheme: string): readonly DayKey[] {
    return [...byDay.keys()].filter((day) => day.startsWith(`${scheme}:`)).toSorted();
  }

  function markersOf(day: DayKey): readonly AppliedMarker[] {
    return byDay.get(day) ?? (isForgotten(day) ? [closedLongAgo(day)] : []);
  }

  function noteOldest(scheme: string): void {
    const days = listDays(scheme);
    if (days.length >= datesKeptMax) oldestKept.set(scheme, days[0] ?? "");
  }

  function isForgotten(day: DayKey): boolean {
    return day < (oldestKept.get(day.slice(0, day.lastIndexOf(":"))) ?? "");
  }

  /** Forgets the oldest date if too many are kept. Returns false if this date is older than all of them. */
  function makeRoom(marker: Marker): boolean {
    const dates = listDays(marker.scheme);
    if (dates.length < datesKeptMax) return true;
    const oldest = dates[0] ?? "";
    if (dayKey(marker.scheme, marker.businessDate) < oldest) return false;
    for (const { marker: forgotten } of byDay.get(oldest) ?? []) ids.delete(forgotten.id);
    byDay.delete(oldest);
    return true;
  }

  const all = (): MarkerHistory => ({ ofDays: [...byDay.values()].flat().toSorted(byOffset), ofBanks: ofBanks.all() });

  for (const { marker, position } of before.ofDays.toSorted(byOffset)) pass(marker, position);
  return {
    partition,
    markersOf,
    bankMarkersOf: (bank) => ofBanks.markersOf(bank),
    apply: pass,
    applyBankMarker: (marker, position) => ofBanks.apply(marker, position),
    days: () => [...byDay.keys()],
    history: all,
    toState: () => ({ markers: all().ofDays.map(toPlainMarker), ofBanks: all().ofBanks.map(toPlainMarker) }),
  };
}

/** There is one for each bank that declares its credits final. */
function isOfGate({ kind }: Marker): boolean {
  return kind === "CreditsDeclared" || kind === "GateOpened";
}

/** A reconciliation marker below every record. */
function closedLongAgo(day: DayKey): AppliedMarker {
  const [scheme, businessDate] = [day.slice(0, day.lastIndexOf(":")), day.slice(day.lastIndexOf(":") + 1)];
  const marker: Marker = { kind: "DayReconciled", id: `${day}:DayReconciled:1`, scheme, businessDate, number: 1 };
  return { marker, position: { offset: -1n, appendedAtMs: 0 } };
}

/** Reads what `toState` wrote; a state of null means that the partition has applied nothing yet. */
export function readPartitionState(state: unknown): MarkerHistory {
  if (state === null || state === undefined) return emptyMarkerHistory;
  assert(isPartitionState(state), "a partition's state holds its markers");
  return { ofDays: state.markers.map(fromPlainMarker), ofBanks: (state.ofBanks ?? []).map(fromPlainMarker).map(completeBankMarker) };
}

/** Leaves out what was applied at an offset from `position` on. */
export function keepBelow(position: bigint, { ofDays, ofBanks }: MarkerHistory): MarkerHistory {
  const isBelow = (applied: { readonly position: RecordPosition }): boolean => applied.position.offset < position;
  return { ofDays: ofDays.filter(isBelow), ofBanks: ofBanks.filter(isBelow) };
}

/** Adds the end to a pause that was written before there were maintenances. */
function completeBankMarker({ marker, position }: AppliedBankMarker): AppliedBankMarker {
  return { marker: marker.kind === "BankPaused" ? { ...marker, untilMs: marker.untilMs ?? null } : marker, position };
}

/** This service wrote the state itself, so only its shape is checked. */
function isPartitionState(state: unknown): state is PartitionState {
  return typeof state === "object" && state !== null && "markers" in state && Array.isArray(state.markers);
}

function byOffset(a: { readonly position: RecordPosition }, b: { readonly position: RecordPosition }): number {
  if (a.position.offset === b.position.offset) return 0;
  return a.position.offset < b.position.offset ? -1 : 1;
}
