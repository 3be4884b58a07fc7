// Reports what a record did to a business day: windows opened, late or missed; a voided date; why a gate is closed.

import type { Day } from "@sluice/domain";
import type { Logger } from "@sluice/kernel";
import type { HandledRecord } from "../../handlers/handler.ts";
import type { SchedulerMetrics } from "../../scheduler-metrics.ts";

interface DayReportPorts {
  readonly logger: Logger;
  readonly metrics: Pick<SchedulerMetrics, "windowsMissed" | "windowCloses">;
}

/** Reports a record that was applied just now, not a replay. */
export function reportDay(
  { logger, metrics }: DayReportPorts,
  partition: number,
  day: Day,
  { record, decision }: Pick<HandledRecord, "record" | "decision">,
): void {
  for (const { offset, atMs, marker } of day.markers) {
    if (offset !== record.offset) continue;
    if (marker.kind === "WindowOpened") {
      const opensAtMs = day.plan.windows.find(({ number }) => number === marker.number)?.opensAtMs ?? atMs;
      logger.info("window.opened", { partition, day: day.key, window: marker.number, lateMs: atMs - opensAtMs });
    }
    if (marker.kind === "WindowClosed" && day.missed.includes(marker.number)) {
      metrics.windowsMissed.add({ scheme: marker.scheme });
      logger.error("window.missed", { partition, day: day.key, window: marker.number, offset });
    }
    if (marker.kind === "DayVoid" && day.markers.some((earlier) => earlier.marker.kind === "DayTimes")) {
      logger.warn("day.voided", {
        partition,
        day: day.key,
        calendarVersion: day.plan.calendarVersion,
        nextBusinessDate: marker.nextBusinessDate,
      });
    }
  }
  const { scheme } = day.plan;
  const open = day.plan.windows.find(({ number }) => day.opened.includes(number) && !day.closed.includes(number));
  const isClosed = day.markers.some(({ offset, marker }) => offset === record.offset && marker.kind === "WindowClosed");
  if (open !== undefined) metrics.windowCloses.set(open.closesAtMs / 1_000, { scheme });
  else if (isClosed) metrics.windowCloses.set(0, { scheme });
  if (decision === "applied") reportGate(logger, partition, day, record.offset);
}

/**
 * Reports why a gate is closed: partitions that have not answered yet, and banks with the partitions of their
 * unresolved credits. Between the declaration and the last answer there is a line of each partition, which says nothing
 * that a person could act on.
 */
function reportGate(logger: Logger, partition: number, { key: day, declarations, markers }: Day, atOffset: bigint): void {
  const isDeclared = markers.some(({ offset, marker }) => offset === atOffset && marker.kind === "CreditsDeclared");
  for (const { id: declaration, partitionsAwaited, unresolved } of declarations) {
    if (partitionsAwaited.length === 0 && unresolved.length === 0) continue;
    const banks = unresolved.map(({ bank, partitions }) => `${bank}: partitions ${partitions.join(" ")}`);
    const level = isDeclared || partitionsAwaited.length === 0 ? "info" : "debug";
    logger[level]("gate.closed", { partition, day, declaration, partitionsAwaited: partitionsAwaited.join(" "), banks });
  }
}
