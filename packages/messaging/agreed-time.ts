// Agreed time: the log's own clock as this process knows it. It says when to append a fact of time; whether the fact counts is
// judged by the fact's own append time, never by this.
//
// #1 Agreed time = append time seen + monotonic time since it was seen. An append is always seen after it happened, so each
//    sight is a lower bound and the highest of the last minute is the best one. The process's wall clock plays no part.
// #2 It never goes back. When the log's clock goes back, it stands still until the log has caught up.
// #3 Ten seconds without a fresh sight append a probe; so does the start, and half a minute without a probe, however busy: the answer shows how far
//    the own clock is off (`clock-skew.ts`). Reading old records is no fresh sight.
// #4 One probe is under way at a time; one that fails is followed by another after a second.

import type { Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { createClockSkew } from "./clock-skew.ts";

export interface AgreedTime {
  /** An append time just seen: of a record read, or in a produce answer. */
  saw(appendedAtMs: number): void;
  /** Epoch milliseconds by the log's clock; null before anything was seen. */
  nowMs(): number | null;
  /** Milliseconds by which the log's clock is ahead of this process's own; null: not measured yet. */
  skewMs(): number | null;
  stop(): void;
}

export interface AgreedTimeOptions {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "gauge">;
  /** Appends a record and answers its append time. */
  readonly probe: () => Promise<number>;
}

const silenceMaxMs = 10_000;
const probeAgainMs = 1000;
const unprobedMaxMs = 30_000;
const windowMs = 30_000;
/** A sight this far behind agreed time is an old record, not news. */
const freshWithinMs = 5000;

export function createAgreedTime({ time, log, metrics, probe }: AgreedTimeOptions): AgreedTime {
  const skew = createClockSkew({ time, log, metrics });
  const offsets = createHighestOffset();
  let reachedMs: number | null = null;
  let lastSeenMs: number | null = null;
  let freshAtMs: number | null = null;
  let probedAtMs = 0;
  let isStopped = false;
  let timer = time.after(0, () => void ask());

  function nowMs(): number | null {
    const offset = offsets.highest();
    if (offset === null) return null;
    // #2
    reachedMs = Math.max(reachedMs ?? 0, Math.floor(time.monotonicMs() + offset));
    return reachedMs;
  }

  function saw(appendedAtMs: number): void {
    // Records of one batch: seen later, it says less than it did at first.
    if (appendedAtMs === lastSeenMs) return;
    lastSeenMs = appendedAtMs;
    const seenAtMs = time.monotonicMs();
    const agreedMs = nowMs();
    if (agreedMs === null || appendedAtMs > agreedMs - freshWithinMs) freshAtMs = freshAtMs === null ? null : seenAtMs;
    offsets.add(appendedAtMs - seenAtMs, seenAtMs);
  }

  async function ask(): Promise<void> {
    if (isStopped) return;
    const atMs = time.monotonicMs();
    const dueInMs = freshAtMs === null ? 0 : Math.min(freshAtMs + silenceMaxMs, probedAtMs + unprobedMaxMs) - atMs;
    if (dueInMs > 0) {
      // Upwards: a fraction lost in the difference would ask just before the time, again and again.
      timer = time.after(Math.ceil(dueInMs), () => void ask());
      return;
    }
    const isAnswered = await answer();
    if (!isStopped) timer = time.after(isAnswered ? silenceMaxMs : probeAgainMs, () => void ask());
  }

  async function answer(): Promise<boolean> {
    const sentAtMs = time.monotonicMs();
    try {
      const appendedAtMs = await probe();
      lastSeenMs = null;
      // Until the first probe is answered nothing counts as fresh: what was read may be old. #3
      freshAtMs = time.monotonicMs();
      probedAtMs = freshAtMs;
      skew.measure(appendedAtMs, probedAtMs - sentAtMs);
      saw(appendedAtMs);
      return true;
    } catch (error) {
      log.warn("agreed-time.probe-failed", { reason: String(error) });
      return false;
    }
  }

  return {
    saw,
    nowMs,
    skewMs: () => skew.skewMs(),
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

/** The highest of the last one to two windows: an offset that is no longer confirmed goes, so that a corrected clock is followed. */
function createHighestOffset() {
  let current: number | null = null;
  let before: number | null = null;
  let startedAtMs = 0;
  return {
    add(offset: number, atMs: number): void {
      if (atMs - startedAtMs >= windowMs) {
        before = current;
        current = null;
        startedAtMs = atMs;
      }
      current = Math.max(current ?? offset, offset);
    },
    highest: (): number | null => (before === null ? current : Math.max(before, current ?? before)),
  };
}
