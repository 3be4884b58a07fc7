// The markers that a lane has passed, by day, in offset order: what `decide` judges by, and what the lane's document keeps.
//
// 1. A repeat (same id) is not passed twice: the copy with the lowest offset counts.
// 2. Kept are the newest `datesKeptMax` dates of each scheme. A day is planned at most a week ahead and a close leaves nothing unresolved, so
//    what is forgotten was closed weeks ago.

import type { DayKey, LaneView, Marker, PassedMarker, Place } from "@sluice/domain";
import { dayKey } from "@sluice/domain";
import { assert } from "@sluice/runtime";

export const datesKeptMax = 64;

/** Plain JSON, as it stands in the lane's document. */
export interface LaneState {
  readonly markers: readonly { readonly marker: Marker; readonly offset: string; readonly atMs: number }[];
}

export interface LaneMarkers extends LaneView {
  /** False: a repeat, or of a day that is forgotten. */
  pass(marker: Marker, place: Place): boolean;
  days(): readonly DayKey[];
  all(): readonly PassedMarker[];
  toState(): LaneState;
}

export function createLaneMarkers(lane: number, passed: readonly PassedMarker[]): LaneMarkers {
  const byDay = new Map<DayKey, PassedMarker[]>();
  const ids = new Set<string>();

  function pass(marker: Marker, place: Place): boolean {
    if (ids.has(marker.id)) return false;
    const day = dayKey(marker.scheme, marker.businessDate);
    if (!byDay.has(day) && !makeRoom(marker)) return false;
    ids.add(marker.id);
    byDay.set(day, [...(byDay.get(day) ?? []), { marker, place }]);
    return true;
  }

  /** False: the date is older than all that are kept. */
  function makeRoom(marker: Marker): boolean {
    const dates = [...byDay.keys()].filter((day) => day.startsWith(`${marker.scheme}:`)).toSorted();
    if (dates.length < datesKeptMax) return true;
    const oldest = dates[0] ?? "";
    if (dayKey(marker.scheme, marker.businessDate) < oldest) return false;
    for (const { marker: forgotten } of byDay.get(oldest) ?? []) ids.delete(forgotten.id);
    byDay.delete(oldest);
    return true;
  }

  function all(): readonly PassedMarker[] {
    return [...byDay.values()].flat().toSorted(byOffset);
  }

  for (const { marker, place } of passed.toSorted(byOffset)) pass(marker, place);
  return {
    lane,
    passed: (day) => byDay.get(day) ?? [],
    passedOfBank: () => [],
    pass,
    days: () => [...byDay.keys()],
    all,
    toState: () => ({
      markers: all().map(({ marker, place }) => ({ marker, offset: String(place.offset), atMs: place.appendedAtMs })),
    }),
  };
}

/** Reads what `toState` wrote; null: the lane has passed nothing yet. */
export function passedFromState(state: unknown): readonly PassedMarker[] {
  if (state === null || state === undefined) return [];
  assert(isLaneState(state), "a lane's state holds its markers");
  return state.markers.map(({ marker, offset, atMs }) => ({
    marker,
    place: { offset: BigInt(offset), appendedAtMs: atMs },
  }));
}

/** What this service wrote itself: only its shape is looked at. */
function isLaneState(state: unknown): state is LaneState {
  return typeof state === "object" && state !== null && "markers" in state && Array.isArray(state.markers);
}

function byOffset(a: PassedMarker, b: PassedMarker): number {
  if (a.place.offset === b.place.offset) return 0;
  return a.place.offset < b.place.offset ? -1 : 1;
}
