// Whether a bank is paused for what this lane releases to it now, and when that may change by itself: a maintenance ends with nobody saying so.
//
// 1. Agreed time only says when one is probably over: what is released is judged by its own append time, and brokers' clocks differ.
//    So the first Release behind an end goes alone ("first"), again every `tryMs`, until one stood. From then on the lane knows.
// 2. Before agreed time is known no maintenance is over.

import { isPausedBelow } from "@sluice/domain";
import type { Transaction } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { LaneMarkers } from "./lane-markers.ts";
import { everyOffset } from "./passed-day.ts";

export const tryMs = 1_000;

export interface MaintenanceEnds {
  /** "waits": the first one was tried just now. */
  standing(bank: string): "paused" | "first" | "waits" | "open";
  /** The first one is about to be appended. */
  tries(bank: string): void;
  /** A Release was judged; its transaction as it left it. */
  sawRelease(transaction: Pick<Transaction, "bank" | "state"> & { readonly transitions: readonly { readonly atMs: number }[] }): void;
  /** In how many milliseconds its standing may change without a record; null: not at all. */
  changesInMs(bank: string): number | null;
}

export interface MaintenanceEndsOptions {
  readonly markers: Pick<LaneMarkers, "passedOfBank">;
  readonly agreedNowMs: () => number | null;
  readonly time: Time;
}

/** Bounded by the banks that are released to. */
export function createMaintenanceEnds({ markers, agreedNowMs, time }: MaintenanceEndsOptions): MaintenanceEnds {
  /** Append time of the newest Release that stood, by bank. */
  const stoodAtMs = new Map<string, number>();
  const triedAtMs = new Map<string, number>();

  /** Of the newest pause; null: there is none, or it has no end. */
  function endMs(bank: string): number | null {
    const marker = markers.passedOfBank(bank).at(-1)?.marker;
    return marker?.kind === "BankPaused" ? marker.untilMs : null;
  }

  function isProven(bank: string): boolean {
    return (stoodAtMs.get(bank) ?? Number.NEGATIVE_INFINITY) >= (endMs(bank) ?? Number.NEGATIVE_INFINITY);
  }

  function triedMsAgo(bank: string): number {
    return time.monotonicMs() - (triedAtMs.get(bank) ?? Number.NEGATIVE_INFINITY);
  }

  function standing(bank: string): ReturnType<MaintenanceEnds["standing"]> {
    if (isPausedBelow(markers, bank, { offset: everyOffset, appendedAtMs: agreedNowMs() ?? 0 })) return "paused";
    if (isProven(bank)) return "open";
    return triedMsAgo(bank) < tryMs ? "waits" : "first";
  }

  return {
    standing,
    tries: (bank) => void triedAtMs.set(bank, time.monotonicMs()),
    sawRelease({ bank, state, transitions }) {
      const last = transitions.at(-1);
      if (bank !== null && state === "RELEASED" && last !== undefined) stoodAtMs.set(bank, last.atMs);
    },
    changesInMs(bank) {
      const end = endMs(bank);
      const is = standing(bank);
      if (is === "waits") return Math.max(1, Math.ceil(tryMs - triedMsAgo(bank)));
      if (is !== "paused" || end === null) return null;
      return Math.max(1, Math.min(changeMaxMs, end - (agreedNowMs() ?? end)));
    },
  };
}

/** Agreed time may be corrected: it is asked again this often. */
const changeMaxMs = 60_000;
