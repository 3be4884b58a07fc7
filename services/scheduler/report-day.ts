// What a record did to a business day, as its lane's owner tells it: windows opened, late, or missed; a date voided; why a gate is closed.

import type { Day } from "@sluice/domain";
import type { Log } from "@sluice/telemetry";
import type { Turn } from "./handler.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

interface Reporting {
  readonly log: Log;
  readonly metrics: Pick<SchedulerMetrics, "windowsMissed">;
}

/** Of a record that was folded in just now, not of a replay. */
export function reportDay(
  { log, metrics }: Reporting,
  lane: number,
  day: Day,
  { record, decision }: Pick<Turn, "record" | "decision">,
): void {
  for (const { offset, atMs, marker } of day.told) {
    if (offset !== record.offset) continue;
    if (marker.kind === "WindowOpened") {
      const opensAtMs = day.plan.windows.find(({ number }) => number === marker.number)?.opensAtMs ?? atMs;
      log.info("window.opened", { lane, day: day.key, window: marker.number, lateMs: atMs - opensAtMs });
    }
    if (marker.kind === "WindowClosed" && day.missed.includes(marker.number)) {
      metrics.windowsMissed.add({ scheme: marker.scheme });
      log.error("window.missed", { lane, day: day.key, window: marker.number, offset });
    }
    if (marker.kind === "DayVoid" && day.told.some((earlier) => earlier.marker.kind === "DayTimes")) {
      log.warn("day.voided", { lane, day: day.key, calendarVersion: day.plan.calendarVersion, nextBusinessDate: marker.nextBusinessDate });
    }
  }
  if (decision === "applied") reportGate(log, lane, day);
}

/** Why a gate is closed: lanes that have not answered the declaration yet, and banks with the lanes in which credits to them are unresolved. */
function reportGate(log: Log, lane: number, { key: day, declarations }: Day): void {
  for (const { id: declaration, lanesAwaited, unresolved } of declarations) {
    if (lanesAwaited.length === 0 && unresolved.length === 0) continue;
    const banks = unresolved.map(({ bank, lanes }) => `${bank}: lanes ${lanes.join(" ")}`);
    log.info("gate.closed", { lane, day, declaration, lanesAwaited: lanesAwaited.join(" "), banks });
  }
}
