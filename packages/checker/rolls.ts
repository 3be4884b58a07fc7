// How a held debit went over to further business dates, told from the markers of its lane: each time HELD is entered again, the last window of
// the date before has closed (or the date was taken away) below the record in whose turn that was, the new date is the one that the marker
// names, and no more of them came from closes than the verdict allows.

import type { Evidence, Journey, PlacedRecord, StateEvent } from "./evidence.ts";
import { memberAt, numberAt, textAt } from "./value.ts";

export interface Stay {
  readonly businessDate: string;
  readonly held: StateEvent;
  /** The event by which this HELD was left; null while it is held. */
  readonly left: StateEvent | null;
}

/** Every HELD of a debit, in order. */
export function staysOf(journey: Journey): readonly Stay[] {
  const events = journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion);
  const first = textAt(journey.verdict?.value, "businessDate");
  return events.flatMap((held, index) => {
    if (held.state !== "HELD") return [];
    const isFirst = !events.slice(0, index).some(({ state }) => state === "HELD");
    const businessDate = isFirst ? first : held.businessDate;
    return [{ businessDate, held, left: events[index + 1] ?? null }];
  });
}

/** What was wrong with going over, a sentence each. */
export function wrongRolls(evidence: Evidence, journey: Journey): readonly string[] {
  const { request, verdict } = journey;
  if (request === null || verdict === null) return [];
  const scheme = schemeOf(journey);
  const stays = staysOf(journey);
  const rollsMax = numberAt(verdict.value, "rollsMax") || 0;
  let byClose = 0;
  return stays.slice(1).flatMap((stay, index) => {
    const before = stays[index];
    const day = `${scheme}:${before?.businessDate ?? ""}`;
    const below = evidence.markers(request.partition, day).filter((marker) => marker.at < stay.held.causedBy);
    const end = below.find((marker, place) => endsDate(marker) && !hasWindowsAgain(marker, below.slice(place + 1)));
    if (end === undefined) return [`HELD again at offset ${stay.held.causedBy}, though ${day} had not ended in its lane`];
    byClose += end.type === "WindowClosed" ? 1 : 0;
    const next = textAt(end.value, "nextBusinessDate");
    if (next !== stay.businessDate) return [`held for ${stay.businessDate} after ${day}, which names ${next}`];
    return byClose > rollsMax ? [`went over ${byClose} times, the verdict allows ${rollsMax}`] : [];
  });
}

/** It was held when its date ended, and could have gone over. */
export function mayStillRoll(evidence: Evidence, journey: Journey): boolean {
  const { request, verdict } = journey;
  const last = staysOf(journey).at(-1);
  if (request === null || verdict === null || last === undefined || last.left?.state === "RELEASED") return false;
  const rolls = staysOf(journey).length - 1;
  const markers = evidence.markers(request.partition, `${schemeOf(journey)}:${last.businessDate}`);
  const isClosed = markers.some((marker) => marker.type === "WindowClosed" && memberAt(marker.value, "isLast") === true);
  return isClosed && rolls < (numberAt(verdict.value, "rollsMax") || 0);
}

/** The day that a debit closes with in the end; null: that of its verdict. */
export function lastDayOf(journey: Journey): string | null {
  const stays = staysOf(journey);
  return stays.length <= 1 ? null : `${schemeOf(journey)}:${stays.at(-1)?.businessDate ?? ""}`;
}

function schemeOf({ verdict }: Journey): string {
  return textAt(verdict?.value, "closesWith").split(":")[0] ?? "";
}

function endsDate(marker: PlacedRecord): boolean {
  return marker.type === "DayVoid" || (marker.type === "WindowClosed" && memberAt(marker.value, "isLast") === true);
}

/** A later plan gave a date windows again that had lost them. */
function hasWindowsAgain(marker: PlacedRecord, later: readonly PlacedRecord[]): boolean {
  return marker.type === "DayVoid" && later.some(({ type }) => type === "DayTimes");
}
