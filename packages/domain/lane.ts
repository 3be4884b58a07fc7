// What a lane has passed: the markers of each day with their place. `decide` judges a fact by the markers below its offset.

import { isPausedAt } from "./bank-standing.ts";
import type { BankMarker, DayKey, Marker, Place } from "./fact.ts";

export interface PassedMarker {
  readonly marker: Marker;
  readonly place: Place;
}

export interface PassedBankMarker {
  readonly marker: BankMarker;
  readonly place: Place;
}

export interface LaneView {
  readonly lane: number;
  /** Markers of a day passed by this lane, in offset order; a repeat (same id) is not passed twice. */
  passed(day: DayKey): readonly PassedMarker[];
  /** The newest markers of a bank passed by this lane, in offset order. */
  passedOfBank(bank: string): readonly PassedBankMarker[];
}

/**
 * Whether the bank was paused for what lies at a place, as far as the lane has passed its markers: by the newest below its offset, and a
 * maintenance only for what was appended before its end.
 */
export function isPausedBelow(lane: Pick<LaneView, "passedOfBank">, bank: string, { offset, appendedAtMs }: Place): boolean {
  const marker = lane.passedOfBank(bank).findLast(({ place }) => place.offset < offset)?.marker;
  return marker?.kind === "BankPaused" && isPausedAt({ isPaused: true, untilMs: marker.untilMs }, appendedAtMs);
}

/** A view over plain markers; markers given in any order, repeats dropped (the first by offset counts). */
export function laneView(lane: number, markers: readonly PassedMarker[], ofBanks: readonly PassedBankMarker[] = []): LaneView {
  const byDay = new Map<DayKey, PassedMarker[]>();
  const seen = new Set<string>();
  for (const passed of markers.toSorted((a, b) => (a.place.offset < b.place.offset ? -1 : 1))) {
    if (seen.has(passed.marker.id)) continue;
    seen.add(passed.marker.id);
    const day = `${passed.marker.scheme}:${passed.marker.businessDate}`;
    const list = byDay.get(day);
    if (list === undefined) byDay.set(day, [passed]);
    else list.push(passed);
  }
  const sorted = ofBanks.toSorted((a, b) => (a.place.offset < b.place.offset ? -1 : 1));
  return {
    lane,
    passed: (day) => byDay.get(day) ?? [],
    passedOfBank: (bank) => sorted.filter(({ marker }) => marker.bank === bank),
  };
}
