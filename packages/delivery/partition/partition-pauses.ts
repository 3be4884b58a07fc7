// What a partition knows of pauses: which receivers operators have paused, and when each was resumed last. The
// knowledge comes from the markers of its topic and is stored with its position.
//
// #1 Markers are numbered per receiver and kind, and a pause and the resume that ends it have the same number. A
//    receiver is paused while its newest pause has no resume of that number. A marker that is not newer changes
//    nothing, so reading one twice is safe.
// #2 A maintenance is a pause with an end. The owner of the clock ends it (`takeEnded`); whether a record falls into it
//    is decided by the record's append time. A pause that changes the end of one in force keeps that one's begin.
// #3 At most `receiversMax` receivers are kept; one that is not paused is forgotten first, and a forgotten one
//    is not paused.

import type { BankPaused, BankResumed } from "@sluice/contracts";
import { receiversMax } from "@sluice/domain";

export type PauseMarker = Pick<BankPaused, "bank" | "number" | "untilMs">;

interface KnownPauses {
  readonly pauses: number;
  readonly resumes: number;
  /** The offset of the newest pause, as text (plain JSON); null where there was none. */
  readonly pausedAt: string | null;
  /** When the newest pause ends by itself, in epoch ms; null where only a resume ends it. */
  readonly untilMs: number | null;
  /** Tells whether its end was noticed. */
  readonly hasEnded: boolean;
  readonly resumedAt: string | null;
  /** The append time of the newest resume, in epoch ms. */
  readonly resumedAtMs: number | null;
}

/** The position of a marker in the partition. */
export interface MarkerPosition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

const noPauses: KnownPauses = {
  pauses: 0,
  resumes: 0,
  pausedAt: null,
  untilMs: null,
  hasEnded: false,
  resumedAt: null,
  resumedAtMs: null,
};

export class PartitionPauses {
  readonly #receivers = new Map<string, KnownPauses>();
  /** Runs until the next end of a maintenance (apply-pause-markers.ts). */
  timer: Disposable | null = null;

  /** Adds the stored state; newer knowledge of this process stays. */
  restore(state: unknown): void {
    for (const [receiverId, learnt] of readEntries(state)) {
      const known = this.#receivers.get(receiverId) ?? noPauses;
      const { pauses, pausedAt, untilMs } = learnt.pauses > known.pauses ? learnt : known;
      const hasEnded = [learnt, known].some((one) => one.pauses === pauses && one.hasEnded);
      const { resumes, resumedAt, resumedAtMs } = learnt.resumes > known.resumes ? learnt : known;
      this.#keep(receiverId, { pauses, resumes, pausedAt, untilMs, hasEnded, resumedAt, resumedAtMs });
    }
  }

  /** Returns whether the marker was new. */
  pause({ bank: receiverId, number, untilMs }: PauseMarker, { offset, appendedAtMs }: MarkerPosition): boolean {
    const known = this.#receivers.get(receiverId) ?? noPauses;
    if (number <= known.pauses) return false;
    // #2
    const isChange = known.pauses > known.resumes && (known.untilMs === null || appendedAtMs < known.untilMs);
    const pausedAt = isChange ? known.pausedAt : String(offset);
    this.#keep(receiverId, { ...known, pauses: number, pausedAt, untilMs, hasEnded: false });
    return true;
  }

  /** Returns whether the marker was new. */
  resume({ bank: receiverId, number }: Pick<BankResumed, "bank" | "number">, { offset, appendedAtMs }: MarkerPosition): boolean {
    const known = this.#receivers.get(receiverId) ?? noPauses;
    if (number <= known.resumes) return false;
    this.#keep(receiverId, { ...known, resumes: number, resumedAt: String(offset), resumedAtMs: appendedAtMs });
    return true;
  }

  isPaused(receiverId: string): boolean {
    const known = this.#receivers.get(receiverId);
    return known !== undefined && isPaused(known);
  }

  /** Tells whether the receiver was paused at that position of the partition, by its newest pause and resume. */
  wasPausedAt(receiverId: string, { offset, appendedAtMs }: MarkerPosition): boolean {
    const { pauses, resumes, pausedAt, untilMs, resumedAt } = this.#receivers.get(receiverId) ?? noPauses;
    const isOver = untilMs !== null && untilMs <= appendedAtMs;
    const hasEnded = isOver || (resumes >= pauses && resumedAt !== null && BigInt(resumedAt) < offset);
    return pausedAt !== null && BigInt(pausedAt) < offset && !hasEnded;
  }

  /** When its last pause ended, or will end by itself, in epoch ms; null where no end is known. */
  resumedAtMs(receiverId: string): number | null {
    const { pauses, resumes, untilMs, resumedAtMs } = this.#receivers.get(receiverId) ?? noPauses;
    return pauses > resumes && untilMs !== null ? untilMs : resumedAtMs;
  }

  /** #2. Marks the maintenances that are over by then, and returns their receivers. */
  takeEnded(nowMs: number): readonly string[] {
    const ended = [...this.#receivers].filter(([, known]) => isPaused(known) && known.untilMs !== null && known.untilMs <= nowMs);
    for (const [receiverId, known] of ended) this.#receivers.set(receiverId, { ...known, hasEnded: true });
    return ended.map(([receiverId]) => receiverId);
  }

  /** When the next maintenance ends, in epoch ms; null where none is in force. */
  nextEndMs(): number | null {
    const ends = [...this.#receivers.values()].flatMap((known) => (isPaused(known) && known.untilMs !== null ? [known.untilMs] : []));
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** All paused receivers. */
  pausedReceivers(): readonly string[] {
    return [...this.#receivers].flatMap(([receiverId, known]) => (isPaused(known) ? [receiverId] : []));
  }

  /** Plain JSON, stored with the position. */
  state(): object {
    return { pauses: Object.fromEntries(this.#receivers) };
  }

  /** #3 */
  #keep(receiverId: string, known: KnownPauses): void {
    this.#receivers.delete(receiverId);
    this.#receivers.set(receiverId, known);
    if (this.#receivers.size <= receiversMax) return;
    const [oldest] = this.#receivers.keys();
    const forgotten = [...this.#receivers].find(([, other]) => !isPaused(other))?.[0] ?? oldest;
    if (forgotten !== undefined) this.#receivers.delete(forgotten);
  }
}

/** #1 */
function isPaused({ pauses, resumes, hasEnded }: KnownPauses): boolean {
  return pauses > resumes && !hasEnded;
}

function readEntries(state: unknown): readonly (readonly [string, KnownPauses])[] {
  if (typeof state !== "object" || state === null || !("pauses" in state)) return [];
  return Object.entries(state.pauses ?? {}).flatMap(([receiverId, known]) =>
    // States stored before there were maintenances have no end.
    isKnownPauses(known) ? [[receiverId, { ...known, untilMs: known.untilMs ?? null, hasEnded: known.hasEnded === true }] as const] : [],
  );
}

type StoredPauses = Omit<KnownPauses, "untilMs" | "hasEnded"> & Partial<Pick<KnownPauses, "untilMs" | "hasEnded">>;

function isKnownPauses(value: unknown): value is StoredPauses {
  if (typeof value !== "object" || value === null) return false;
  const { pauses, resumes, pausedAt, resumedAt, resumedAtMs } = value as Partial<Record<keyof KnownPauses, unknown>>;
  const areTimesKnown = isNullOr("string", pausedAt) && isNullOr("string", resumedAt) && isNullOr("number", resumedAtMs);
  return typeof pauses === "number" && typeof resumes === "number" && areTimesKnown;
}

function isNullOr(type: "string" | "number", value: unknown): boolean {
  return value === null || typeof value === type;
}
