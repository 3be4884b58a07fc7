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

/** When it closes, as from now on; of a day that has windows. */
export function tellTimes(day: Day, place: Place): Day {
  const { reconciliationAtMs, calendarVersion } = day.plan;
  const number = countOf(day, "DayTimes") + 1;
  return tellMarker(day, place, { ...markerBase(day, "DayTimes", number), kind: "DayTimes", number, reconciliationAtMs, calendarVersion });
}

/** That the date has no window; nothing where that is what was told last. */
export function tellVoid(day: Day, place: Place): Day {
  const last = day.told.findLast(({ marker }) => marker.kind === "DayTimes" || marker.kind === "DayVoid");
  if (last?.marker.kind === "DayVoid") return day;
  const { nextBusinessDate } = day.plan;
  return tellMarker(day, place, { ...markerBase(day, "DayVoid", countOf(day, "DayVoid") + 1), kind: "DayVoid", nextBusinessDate });
}
