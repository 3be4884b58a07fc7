// Crediting: answers a declaration of credits final for this lane. When the lane has passed the declaration's marker it has seen every
// credit accepted before it; it names the banks with one unresolved. There are no credits yet, so it names none.
//
// 1. One LaneCredits for each declaration passed; repeated at take-over for days whose gate the lane has not seen open. A second one
//    changes nothing.

import type { CreditsDeclaredMarker } from "@sluice/domain";
import { dayKey } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { declarationsWithoutGate } from "./passed-day.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface CreditingOptions {
  readonly lane: number;
  readonly markers: LaneMarkers;
  readonly append: AppendFacts;
  readonly time: Time;
  readonly log: Log;
}

export interface Crediting {
  /** The lane has passed a declaration. */
  answer(declaration: CreditsDeclaredMarker): void;
  wake(): void;
  stop(): void;
}

export function startCrediting(options: CreditingOptions): Crediting {
  const { lane, markers, append, time, log } = options;
  /** By id; bounded by the days that the lane's markers hold. */
  const unanswered = new Map<string, CreditsDeclaredMarker>();
  for (const day of markers.days()) {
    for (const declaration of declarationsWithoutGate(markers.passed(day))) unanswered.set(declaration.id, declaration);
  }
  const task = startStandingTask({ name: "crediting", lane, time, log, turn });

  async function turn(): Promise<number | null> {
    const answering = [...unanswered.values()];
    if (answering.length === 0) return null;
    const isAppended = await append(
      answering.map(({ id, scheme, businessDate }) => ({
        key: dayKey(scheme, businessDate),
        fact: { kind: "LaneCredits", scheme, businessDate, lane, declaration: id, banksUnresolved: [] },
      })),
    );
    if (!isAppended) return failedTurnPauseMs;
    for (const { id } of answering) unanswered.delete(id);
    return null;
  }

  return {
    answer(declaration) {
      unanswered.set(declaration.id, declaration);
      task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}
