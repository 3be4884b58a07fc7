// The pause history of a partition: the newest pauses and resumes of each receiver, and where each was applied.
//
// #1 Markers are numbered by receiver, and a pause and the resume that ends it have the same number. A marker that is
//    not newer than the last one is a repeat: it changes nothing, so reading a partition again is safe.
// #2 Whether a receiver was paused at a place follows from its newest marker below that offset. A maintenance is a
//    pause with an end: it counts only for what was appended before the end.
// #3 Of each receiver the newest `pauseMarkersKeptMax` markers are kept, of at most `receiversMax` receivers. A
//    receiver that is not paused is forgotten first, and a forgotten one is not paused.

import type { BankPausedMarker, BankResumedMarker, RecordPosition } from "../fact.ts";
import { isPausedAt, receiversMax } from "./bank-state.ts";

export const pauseMarkersKeptMax = 16;

/** What the history needs to know of a marker. */
export type PauseMarker =
  | Pick<BankPausedMarker, "kind" | "bank" | "number" | "untilMs">
  | Pick<BankResumedMarker, "kind" | "bank" | "number">;

export interface AppliedPause<M extends PauseMarker = PauseMarker> {
  readonly marker: M;
  readonly position: RecordPosition;
}

export class PauseHistory<M extends PauseMarker = PauseMarker> {
  /** The receiver whose marker was applied last is the last one. */
  readonly #byReceiver = new Map<string, readonly AppliedPause<M>[]>();

  /** `before` may have repeats, in any order; of repeats the first by offset counts. */
  constructor(before: readonly AppliedPause<M>[] = []) {
    for (const { marker, position } of before.toSorted(compareOffsets)) this.apply(marker, position);
  }

  /** Returns false for a repeat (#1). */
  apply(marker: M, position: RecordPosition): boolean {
    const before = this.markersOf(marker.bank);
    const last = before.at(-1);
    if (last !== undefined && rank(marker) <= rank(last.marker)) return false;
    if (last === undefined) this.#makeRoom(position);
    this.#byReceiver.delete(marker.bank);
    this.#byReceiver.set(marker.bank, [...before, { marker, position }].slice(-pauseMarkersKeptMax));
    return true;
  }

  /** Lists the newest markers of a receiver, in the order of their offsets. */
  markersOf(receiverId: string): readonly AppliedPause<M>[] {
    return this.#byReceiver.get(receiverId) ?? [];
  }

  receivers(): readonly string[] {
    return [...this.#byReceiver.keys()];
  }

  /** Lists all markers, in the order of their offsets. */
  all(): readonly AppliedPause<M>[] {
    return [...this.#byReceiver.values()].flat().toSorted(compareOffsets);
  }

  /** #3 */
  #makeRoom(position: RecordPosition): void {
    if (this.#byReceiver.size < receiversMax) return;
    const [oldest] = this.#byReceiver.keys();
    const active = this.receivers().find((receiverId) => !isInForce(this.markersOf(receiverId).at(-1), position));
    const forgotten = active ?? oldest;
    if (forgotten !== undefined) this.#byReceiver.delete(forgotten);
  }
}

/** Tells whether a receiver with these markers was paused for a record at this position (#2). */
export function isPausedBelow(markers: readonly AppliedPause[], position: RecordPosition): boolean {
  return isInForce(
    markers.findLast((applied) => applied.position.offset < position.offset),
    position,
  );
}

/** When the newest pause ends by itself, in epoch ms; null where only a resume ends it, or it was resumed. */
export function maintenanceEndMs(markers: readonly AppliedPause[]): number | null {
  const newest = markers.at(-1)?.marker;
  return newest?.kind === "BankPaused" ? newest.untilMs : null;
}

function isInForce(applied: AppliedPause | undefined, { appendedAtMs }: RecordPosition): boolean {
  return applied?.marker.kind === "BankPaused" && isPausedAt({ isPaused: true, untilMs: applied.marker.untilMs }, appendedAtMs);
}

/** #1 */
function rank({ kind, number }: PauseMarker): number {
  return 2 * number - (kind === "BankPaused" ? 1 : 0);
}

function compareOffsets({ position: a }: AppliedPause, { position: b }: AppliedPause): number {
  if (a.offset === b.offset) return 0;
  return a.offset < b.offset ? -1 : 1;
}
