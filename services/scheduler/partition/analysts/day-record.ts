// A business day for analysts (`sluice.days.v1`). Each batch that decided a fact about the day sends it, and a replay
// sends it again: the record with the highest version counts.

import { outgoingRecord, topics, type Records } from "@sluice/contracts";
import type { Day, Marker } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import type { HandlerContext } from "../../handlers/handler.ts";

export function buildDayRecord(
  day: Day,
  partition: number,
  { serde, partitionCount }: Pick<HandlerContext, "serde" | "partitionCount">,
): OutgoingRecord {
  const value = describeDay(day, partition);
  return outgoingRecord(serde, topics.days, day.key, { name: "BusinessDay", value }, { partitionCount, partition });
}

function describeDay(day: Day, journalPartition: number): Records["BusinessDay"] {
  const { scheme, businessDate, calendarVersion, zone, cutOffAtMs, reconciliationAtMs, windows } = day.plan;
  const firstAt = (kind: Marker["kind"]): number | null => day.markers.find(({ marker }) => marker.kind === kind)?.atMs ?? null;
  return {
    scheme,
    businessDate,
    version: BigInt(day.version),
    calendarVersion,
    zone,
    isVoided: day.isVoided,
    windows: windows.map(({ number, opensAtMs, closesAtMs }) => ({
      number,
      opensAtMs,
      closesAtMs,
      openedAtMs: windowTime(day, "WindowOpened", number),
      closedAtMs: windowTime(day, "WindowClosed", number),
      isMissed: day.missed.includes(number),
    })),
    cutOffAtMs,
    creditsFinalAtMs: firstAt("CreditsDeclared"),
    gateOpenedAtMs: firstAt("GateOpened"),
    reconciliationAtMs,
    reconciledAtMs: day.reconciledAtMs,
    journalPartition,
    journalOffset: day.applied,
  };
}

function windowTime({ markers }: Day, kind: "WindowOpened" | "WindowClosed", number: number): number | null {
  return markers.find(({ marker }) => marker.kind === kind && marker.number === number)?.atMs ?? null;
}
