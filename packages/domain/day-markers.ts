// How a day tells: a marker, with the running count of its kind in its id, kept with the offset of the record in whose turn it was made.

import type { Day, DayTold } from "./day.ts";
import type { Marker, Place } from "./fact.ts";
import { markerId } from "./ids.ts";

export function markerBase(
  day: Day,
  kind: Marker["kind"],
  number: number,
): { readonly id: string; readonly scheme: string; readonly businessDate: string } {
  const { scheme, businessDate } = day.plan;
  return { id: markerId(scheme, businessDate, kind, number), scheme, businessDate };
}

export function countOf(day: Day, kind: Marker["kind"]): number {
  return day.told.filter((told) => told.marker.kind === kind).length;
}

export function tellMarker(day: Day, place: Place, marker: Marker): Day {
  const told: DayTold = { offset: place.offset, atMs: place.appendedAtMs, marker };
  return { ...day, told: [...day.told, told] };
}
