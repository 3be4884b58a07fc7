// Checks how a held debit was carried over to further business dates, from the markers of its partition.
//
// #1 When HELD is entered again, the last window of the previous date has closed, or the date was cancelled, at a lower
//    offset.
// #2 The new date is the one that this marker names.
// #3 No more carry-overs come from closes than the verdict allows.

import type { Evidence, Journey, PlacedRecord, StateEvent } from "./evidence.ts";
import { readRecordMember, readRecordNumber, readRecordText } from "./record-members.ts";

export interface HeldPeriod {
  readonly businessDate: string;
  readonly held: StateEvent;
  /** The event by which this HELD was left; null while the debit is held. */
  readonly left: StateEvent | null;
}

/** Lists every HELD of a debit, in order. */
export function collectHeldPeriods(journey: Journey): readonly HeldPeriod[] {
  const events = journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion);
  const first = readRecordText(journey.verdict?.value, "businessDate");
  return events.flatMap((held, index) => {
    if (held.state !== "HELD") return [];
    const isFirst = !events.slice(0, index).some(({ state }) => state === "HELD");
    const businessDate = isFirst ? first : held.businessDate;
    return [{ businessDate, held, left: events[index + 1] ?? null }];
  });
}

/** Describes each wrong carry-over in a sentence. */
export function findWrongCarryOvers(evidence: Evidence, journey: Journey): readonly string[] {
  const { request, verdict } = journey;
  if (request === null || verdict === null) return [];
  const scheme = readScheme(journey);
  const stays = collectHeldPeriods(journey);
  const carryOversMax = readRecordNumber(verdict.value, "carryOversMax") || 0;
  let byClose = 0;
  return stays.slice(1).flatMap((stay, index) => {
    const before = stays[index];
    const day = `${scheme}:${before?.businessDate ?? ""}`;
    const below = evidence.markers(request.partition, day).filter((marker) => marker.position < stay.held.causedBy);
    const end = below.find((marker, place) => endsDate(marker) && !hasWindowsAgain(marker, below.slice(place + 1)));
    if (end === undefined) return [`HELD again at offset ${stay.held.causedBy}, though ${day} had not ended in its partition`];
    byClose += end.type === "WindowClosed" ? 1 : 0;
    const next = readRecordText(end.value, "nextBusinessDate");
    if (next !== stay.businessDate) return [`held for ${stay.businessDate} after ${day}, which names ${next}`];
    return byClose > carryOversMax ? [`was carried over ${byClose} times, the verdict allows ${carryOversMax}`] : [];
  });
}

/** True if the debit was held when its date ended, and its verdict allowed another carry-over. */
export function couldCarryOver(evidence: Evidence, journey: Journey): boolean {
  const { request, verdict } = journey;
  const last = collectHeldPeriods(journey).at(-1);
  if (request === null || verdict === null || last === undefined || last.left?.state === "RELEASED") return false;
  const carryOvers = collectHeldPeriods(journey).length - 1;
  const markers = evidence.markers(request.partition, `${readScheme(journey)}:${last.businessDate}`);
  const isClosed = markers.some((marker) => marker.type === "WindowClosed" && readRecordMember(marker.value, "isLast") === true);
  return isClosed && carryOvers < (readRecordNumber(verdict.value, "carryOversMax") || 0);
}

/** The day that a debit was carried over to last; null if it still has the day of its verdict. */
export function findLastDay(journey: Journey): string | null {
  const stays = collectHeldPeriods(journey);
  return stays.length <= 1 ? null : `${readScheme(journey)}:${stays.at(-1)?.businessDate ?? ""}`;
}

function readScheme({ verdict }: Journey): string {
  return readRecordText(verdict?.value, "reconciliationDay").split(":")[0] ?? "";
}

function endsDate(marker: PlacedRecord): boolean {
  return marker.type === "DayVoid" || (marker.type === "WindowClosed" && readRecordMember(marker.value, "isLast") === true);
}

/** True if a later plan gave a cancelled date windows again. */
function hasWindowsAgain(marker: PlacedRecord, later: readonly PlacedRecord[]): boolean {
  return marker.type === "DayVoid" && later.some(({ type }) => type === "DayTimes");
}
