// What a partition knows of pauses: which receivers operators have paused, and when each was resumed last. The
// knowledge comes from the markers of its topic and is stored with its position.
//
// #1 A receiver is paused while its newest marker is a pause. Reading a marker twice is safe (`PauseHistory`).
// #2 A maintenance is a pause with an end. The owner of the clock ends it (`takeEnded`); whether a record falls into it
//    is decided by the record's append time.

import type { BankPaused, BankResumed } from "@sluice/contracts";
import {
  fromPlainMarker,
  isPausedBelow,
  maintenanceEndMs,
  PauseHistory,
  type PauseMarker,
  type PlainMarker,
  type RecordPosition,
  toPlainMarker,
} from "@sluice/domain";

/** The position of a marker in the partition. */
export type MarkerPosition = RecordPosition;

export class PartitionPauses {
  #history = new PauseHistory();
  /** The number of the newest maintenance whose end was noticed, by receiver. */
  readonly #noticedEnds = new Map<string, number>();
  /** Runs until the next end of a maintenance (apply-pause-markers.ts). */
  timer: Disposable | null = null;

  /** Adds the stored state; newer knowledge of this process stays. */
  restore(state: unknown): void {
    if (!isPausesState(state)) return;
    const { pauses, noticedEnds } = state;
    this.#history = new PauseHistory([...pauses.map(fromPlainMarker), ...this.#history.all()]);
    for (const [receiverId, number] of noticedEnds) this.#noticeEnd(receiverId, number);
  }

  /** Returns whether the marker was new. */
  pause({ bank, number, untilMs }: Pick<BankPaused, "bank" | "number" | "untilMs">, position: MarkerPosition): boolean {
    return this.#history.apply({ kind: "BankPaused", bank, number, untilMs }, position);
  }

  /** Returns whether the marker was new. */
  resume({ bank, number }: Pick<BankResumed, "bank" | "number">, position: MarkerPosition): boolean {
    return this.#history.apply({ kind: "BankResumed", bank, number }, position);
  }

  isPaused(receiverId: string): boolean {
    const newest = this.#history.markersOf(receiverId).at(-1)?.marker;
    return newest?.kind === "BankPaused" && newest.number !== this.#noticedEnds.get(receiverId);
  }

  /** Tells whether the receiver was paused at that position of the partition. */
  wasPausedAt(receiverId: string, position: MarkerPosition): boolean {
    return isPausedBelow(this.#history.markersOf(receiverId), position);
  }

  /** When its last pause ended, or will end by itself, in epoch ms; null where no end is known. */
  resumedAtMs(receiverId: string): number | null {
    const markers = this.#history.markersOf(receiverId);
    const resumed = markers.findLast(({ marker }) => marker.kind === "BankResumed");
    return maintenanceEndMs(markers) ?? resumed?.position.appendedAtMs ?? null;
  }

  /** #2. Marks the maintenances that are over by then, and returns their receivers. */
  takeEnded(nowMs: number): readonly string[] {
    const ended = this.pausedReceivers().filter((receiverId) => (this.#endMs(receiverId) ?? Number.POSITIVE_INFINITY) <= nowMs);
    for (const receiverId of ended) this.#noticeEnd(receiverId, this.#history.markersOf(receiverId).at(-1)?.marker.number ?? 0);
    return ended;
  }

  /** When the next maintenance ends, in epoch ms; null where none is in force. */
  nextEndMs(): number | null {
    const ends = this.pausedReceivers().flatMap((receiverId) => this.#endMs(receiverId) ?? []);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** All paused receivers. */
  pausedReceivers(): readonly string[] {
    return this.#history.receivers().filter((receiverId) => this.isPaused(receiverId));
  }

  /** Plain JSON, stored with the position. */
  state(): PausesState {
    return { pauses: this.#history.all().map(toPlainMarker), noticedEnds: [...this.#noticedEnds] };
  }

  #endMs(receiverId: string): number | null {
    return maintenanceEndMs(this.#history.markersOf(receiverId));
  }

  /** Notices an end; those of receivers that the history has forgotten are forgotten too. */
  #noticeEnd(receiverId: string, number: number): void {
    this.#noticedEnds.set(receiverId, Math.max(number, this.#noticedEnds.get(receiverId) ?? 0));
    for (const id of this.#noticedEnds.keys()) if (this.#history.markersOf(id).length === 0) this.#noticedEnds.delete(id);
  }
}

interface PausesState {
  readonly pauses: readonly PlainMarker<PauseMarker>[];
  readonly noticedEnds: readonly (readonly [receiverId: string, number: number])[];
}

/** This service wrote the state itself, so only its shape is checked. */
function isPausesState(state: unknown): state is PausesState {
  if (typeof state !== "object" || state === null || !("pauses" in state) || !("noticedEnds" in state)) return false;
  return Array.isArray(state.pauses) && Array.isArray(state.noticedEnds);
}
