// Reports what a record did to a business day: windows opened, late or missed; a voided date; why a gate is closed.

import { type Day, type Declaration, explainGate, type GateStatus, unknownBank } from "@sluice/domain";
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
 * Reports why gates are closed, in the sentence of `./sluice held`: partitions that have not answered yet, or the
 * unresolved credits of each bank. Between the declaration and the last answer there is a line of each partition, which
 * says nothing that a person could act on.
 */
function reportGate(logger: Logger, partition: number, { key: day, declarations, markers }: Day, atOffset: bigint): void {
  const isDeclared = markers.some(({ offset, marker }) => offset === atOffset && marker.kind === "CreditsDeclared");
  for (const declaration of declarations) {
    const why = explainDeclaration(declaration);
    if (why.length === 0) continue;
    const level = isDeclared || declaration.partitionsAwaited.length === 0 ? "info" : "debug";
    logger[level]("gate.closed", { partition, day, declaration: declaration.id, why });
  }
}

/** A sentence for each bank whose gate is closed. */
function explainDeclaration({ id: declaration, bank, partitionsAwaited, unresolved }: Declaration): readonly string[] {
  if (partitionsAwaited.length > 0) return [gateText(bank, { kind: "partitions-awaited", partitions: partitionsAwaited })];
  return unresolved.map((one) => {
    const gate = { kind: "credits-unresolved", partitions: one.partitions, declaration } as const;
    return gateText(one.bank === unknownBank ? null : one.bank, gate);
  });
}

/** `bank` null: every bank. */
function gateText(bank: string | null, gate: GateStatus): string {
  return `${bank ?? "every bank"}: gate closed: ${explainGate(gate, null)}`;
}
