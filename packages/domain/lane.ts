// What a lane has passed: the markers of each day with their place. `decide` judges a fact by the markers below its offset.

import type { DayKey, Marker, Place } from "./fact.ts";

export interface PassedMarker {
  readonly marker: Marker;
  readonly place: Place;
}

export interface LaneView {
  readonly lane: number;
  /** Markers of a day passed by this lane, in offset order; a repeat (same id) is not passed twice. */
  passed(day: DayKey): readonly PassedMarker[];
}

/** A view over plain markers; markers given in any order, repeats dropped (the first by offset counts). */
export function laneView(lane: number, markers: readonly PassedMarker[]): LaneView {
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
  return { lane, passed: (day) => byDay.get(day) ?? [] };
}
