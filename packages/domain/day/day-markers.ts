// Adds markers to a day. A marker's id has the running count of its kind, and the day keeps it with the offset of the
// record that made it.

import type { Day, DayMarkerEntry } from "./day.ts";
import type { Marker, RecordPosition } from "../fact.ts";
import { markerId } from "../ids.ts";

export function markerBase(
  day: Day,
  kind: Marker["kind"],
  number: number,
): { readonly id: string; readonly scheme: string; readonly businessDate: string } {
  const { scheme, businessDate } = day.plan;
  return { id: markerId(scheme, businessDate, kind, number), scheme, businessDate };
}

export function countMarkers(day: Day, kind: Marker["kind"]): number {
  return day.markers.filter((entry) => entry.marker.kind === kind).length;
}

export function addMarker(day: Day, place: RecordPosition, marker: Marker): Day {
  const entry: DayMarkerEntry = { offset: place.offset, atMs: place.appendedAtMs, marker };
  return { ...day, markers: [...day.markers, entry] };
}

/** Announces when a day with windows closes. */
export function announceTimes(day: Day, place: RecordPosition): Day {
  const { reconciliationAtMs, calendarVersion } = day.plan;
  const number = countMarkers(day, "DayTimes") + 1;
  return addMarker(day, place, { ...markerBase(day, "DayTimes", number), kind: "DayTimes", number, reconciliationAtMs, calendarVersion });
}

/** Announces that the date has no window; adds nothing if that was announced last. */
export function announceVoid(day: Day, place: RecordPosition): Day {
  const last = day.markers.findLast(({ marker }) => marker.kind === "DayTimes" || marker.kind === "DayVoid");
  if (last?.marker.kind === "DayVoid") return day;
  const { nextBusinessDate } = day.plan;
  return addMarker(day, place, { ...markerBase(day, "DayVoid", countMarkers(day, "DayVoid") + 1), kind: "DayVoid", nextBusinessDate });
}
