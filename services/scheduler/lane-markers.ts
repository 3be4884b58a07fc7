// The markers that a lane has passed, by day and by bank, in offset order: what `decide` judges by, and what the lane's document keeps.
//
// 1. A repeat (same id) is not passed twice: the copy with the lowest offset counts. Of a bank, one that is not newer by its number is a repeat.
// 2. Kept are the newest `datesKeptMax` dates of each scheme. A day is planned at most a week ahead and a close leaves nothing unresolved, so
//    what is forgotten was closed weeks ago: it counts as reconciled, so that what comes back from the dead letters so late is closed too and not
//    held for ever. Of each bank the newest `ofBankKeptMax`; of banks `banksKeptMax`, those that are not paused go first.

import type { BankMarker, DayKey, LaneView, Marker, PassedBankMarker, PassedMarker, Place } from "@sluice/domain";
import { dayKey } from "@sluice/domain";
import { assert } from "@sluice/runtime";

export const datesKeptMax = 64;
export const ofBankKeptMax = 16;
export const banksKeptMax = 2_000;

/** What a lane has passed. */
export interface Passed {
  readonly ofDays: readonly PassedMarker[];
  readonly ofBanks: readonly PassedBankMarker[];
}

export const passedNothing: Passed = { ofDays: [], ofBanks: [] };

/** Plain JSON, as it stands in the lane's document. */
export interface LaneState {
  readonly markers: readonly { readonly marker: Marker; readonly offset: string; readonly atMs: number }[];
  readonly ofBanks?: readonly { readonly marker: BankMarker; readonly offset: string; readonly atMs: number }[];
}

export interface LaneMarkers extends LaneView {
  /** False: a repeat, or of a day that is forgotten. */
  pass(marker: Marker, place: Place): boolean;
  /** False: a repeat. */
  passOfBank(marker: BankMarker, place: Place): boolean;
  days(): readonly DayKey[];
  all(): Passed;
  toState(): LaneState;
}

export function createLaneMarkers(lane: number, before: Passed = passedNothing): LaneMarkers {
  const ofBanks = createBankMarkers();
  const byDay = new Map<DayKey, PassedMarker[]>();
  const ids = new Set<string>();
  /** By scheme, once so many are kept that older ones are forgotten. */
  const oldestKept = new Map<string, DayKey>();

  function pass(marker: Marker, place: Place): boolean {
    if (ids.has(marker.id)) return false;
    const day = dayKey(marker.scheme, marker.businessDate);
    if (!byDay.has(day) && !makeRoom(marker)) return false;
    ids.add(marker.id);
    const known = byDay.get(day);
    byDay.set(day, [...(known ?? []), { marker, place }]);
    if (known === undefined) noteOldest(marker.scheme);
    return true;
  }

  function daysOf(scheme: string): readonly DayKey[] {
    return [...byDay.keys()].filter((day) => day.startsWith(`${scheme}:`)).toSorted();
  }

  function passed(day: DayKey): readonly PassedMarker[] {
    return byDay.get(day) ?? (isForgotten(day) ? [closedLongAgo(day)] : []);
  }

  function noteOldest(scheme: string): void {
    const days = daysOf(scheme);
    if (days.length >= datesKeptMax) oldestKept.set(scheme, days[0] ?? "");
  }

  function isForgotten(day: DayKey): boolean {
    return day < (oldestKept.get(day.slice(0, day.lastIndexOf(":"))) ?? "");
  }

  /** False: the date is older than all that are kept. */
  function makeRoom(marker: Marker): boolean {
    const dates = daysOf(marker.scheme);
    if (dates.length < datesKeptMax) return true;
    const oldest = dates[0] ?? "";
    if (dayKey(marker.scheme, marker.businessDate) < oldest) return false;
    for (const { marker: forgotten } of byDay.get(oldest) ?? []) ids.delete(forgotten.id);
    byDay.delete(oldest);
    return true;
  }

  const all = (): Passed => ({ ofDays: [...byDay.values()].flat().toSorted(byOffset), ofBanks: ofBanks.all() });

  for (const { marker, place } of before.ofDays.toSorted(byOffset)) pass(marker, place);
  for (const { marker, place } of before.ofBanks.toSorted(byOffset)) ofBanks.pass(marker, place);
  return {
    lane,
    passed,
    passedOfBank: (bank) => ofBanks.passed(bank),
    pass,
    passOfBank: (marker, place) => ofBanks.pass(marker, place),
    days: () => [...byDay.keys()],
    all,
    toState: () => ({ markers: all().ofDays.map(toPlain), ofBanks: all().ofBanks.map(toPlain) }),
  };
}

/** Below every record. */
function closedLongAgo(day: DayKey): PassedMarker {
  const [scheme, businessDate] = [day.slice(0, day.lastIndexOf(":")), day.slice(day.lastIndexOf(":") + 1)];
  const marker: Marker = { kind: "DayReconciled", id: `${day}:DayReconciled:1`, scheme, businessDate, number: 1 };
  return { marker, place: { offset: -1n, appendedAtMs: 0 } };
}

function createBankMarkers() {
  const byBank = new Map<string, readonly PassedBankMarker[]>();

  function makeRoom(): void {
    if (byBank.size < banksKeptMax) return;
    const banks = [...byBank.keys()];
    const forgotten = banks.find((bank) => byBank.get(bank)?.at(-1)?.marker.kind === "BankResumed") ?? banks[0];
    if (forgotten !== undefined) byBank.delete(forgotten);
  }

  return {
    pass(marker: BankMarker, place: Place): boolean {
      const before = byBank.get(marker.bank) ?? [];
      const last = before.at(-1);
      if (last !== undefined && rankOf(marker) <= rankOf(last.marker)) return false;
      if (last === undefined) makeRoom();
      byBank.set(marker.bank, [...before, { marker, place }].slice(-ofBankKeptMax));
      return true;
    },
    passed: (bank: string): readonly PassedBankMarker[] => byBank.get(bank) ?? [],
    all: (): readonly PassedBankMarker[] => [...byBank.values()].flat().toSorted(byOffset),
  };
}

/** Pauses count; a resume has the number of the pause that it ends. */
function rankOf({ kind, number }: BankMarker): number {
  return 2 * number - (kind === "BankPaused" ? 1 : 0);
}

type Plain<M> = { readonly marker: M; readonly offset: string; readonly atMs: number };

function toPlain<M>({ marker, place }: { readonly marker: M; readonly place: Place }): Plain<M> {
  return { marker, offset: String(place.offset), atMs: place.appendedAtMs };
}

function fromPlain<M>({ marker, offset, atMs }: Plain<M>): { readonly marker: M; readonly place: Place } {
  return { marker, place: { offset: BigInt(offset), appendedAtMs: atMs } };
}

/** Reads what `toState` wrote; null: the lane has passed nothing yet. */
export function passedFromState(state: unknown): Passed {
  if (state === null || state === undefined) return passedNothing;
  assert(isLaneState(state), "a lane's state holds its markers");
  return { ofDays: state.markers.map(fromPlain), ofBanks: (state.ofBanks ?? []).map(fromPlain).map(wholeBankMarker) };
}

/** What was written before there were maintenances says nothing of an end. */
function wholeBankMarker({ marker, place }: PassedBankMarker): PassedBankMarker {
  return { marker: marker.kind === "BankPaused" ? { ...marker, untilMs: marker.untilMs ?? null } : marker, place };
}

/** What this service wrote itself: only its shape is looked at. */
function isLaneState(state: unknown): state is LaneState {
  return typeof state === "object" && state !== null && "markers" in state && Array.isArray(state.markers);
}

function byOffset(a: { readonly place: Place }, b: { readonly place: Place }): number {
  if (a.place.offset === b.place.offset) return 0;
  return a.place.offset < b.place.offset ? -1 : 1;
}
