// Tells whether a bank is paused for the debits that this partition releases to it now, and when that may change by
// itself: a maintenance ends without a record.
//
// #1 The broker clock only says when a maintenance is probably over: a Release is decided by its own append time, and
//    brokers' clocks differ. So the first Release behind an end goes alone ("first"), and again every
//    `maintenanceProbeMs`, until one takes effect. From then on the partition knows.
// #2 Before the broker clock is known no maintenance is over.

import { isPausedBelow, maintenanceEndMs, type Transaction } from "@sluice/domain";
import type { Time } from "@sluice/kernel";
import type { AppliedMarkers } from "../../partition/applied-markers.ts";
import { everyOffset } from "../../partition/read-day-markers.ts";

export const maintenanceProbeMs = 1_000;

export interface MaintenanceEnds {
  /** Whether the bank may get Releases; "waits" means that the first one was tried just now. */
  check(bank: string): "paused" | "first" | "waits" | "open";
  /** Marks that the first Release is about to be appended. */
  markTried(bank: string): void;
  /** Takes note of a transaction after its Release was decided. */
  observeRelease(transaction: Pick<Transaction, "bank" | "state"> & { readonly transitions: readonly { readonly atMs: number }[] }): void;
  /** Milliseconds after which the answer may change without a record; null if it cannot. */
  changesInMs(bank: string): number | null;
}

export interface MaintenanceEndsOptions {
  readonly markers: Pick<AppliedMarkers, "bankMarkersOf">;
  readonly brokerNowMs: () => number | null;
  readonly time: Time;
}

/** Bounded by the banks that get Releases. */
export function createMaintenanceEnds({ markers, brokerNowMs, time }: MaintenanceEndsOptions): MaintenanceEnds {
  /** Append time of the newest Release that took effect, by bank. */
  const releasedAtMs = new Map<string, number>();
  const triedAtMs = new Map<string, number>();

  function isProven(bank: string): boolean {
    return (
      (releasedAtMs.get(bank) ?? Number.NEGATIVE_INFINITY) >= (maintenanceEndMs(markers.bankMarkersOf(bank)) ?? Number.NEGATIVE_INFINITY)
    );
  }

  function triedMsAgo(bank: string): number {
    return time.monotonicMs() - (triedAtMs.get(bank) ?? Number.NEGATIVE_INFINITY);
  }

  function check(bank: string): ReturnType<MaintenanceEnds["check"]> {
    if (isPausedBelow(markers.bankMarkersOf(bank), { offset: everyOffset, appendedAtMs: brokerNowMs() ?? 0 })) return "paused";
    if (isProven(bank)) return "open";
    return triedMsAgo(bank) < maintenanceProbeMs ? "waits" : "first";
  }

  return {
    check,
    markTried: (bank) => void triedAtMs.set(bank, time.monotonicMs()),
    observeRelease({ bank, state, transitions }) {
      const last = transitions.at(-1);
      if (bank !== null && state === "RELEASED" && last !== undefined) releasedAtMs.set(bank, last.atMs);
    },
    changesInMs(bank) {
      const end = maintenanceEndMs(markers.bankMarkersOf(bank));
      const release = check(bank);
      if (release === "waits") return Math.max(1, Math.ceil(maintenanceProbeMs - triedMsAgo(bank)));
      if (release !== "paused" || end === null) return null;
      return Math.max(1, Math.min(changeMaxMs, end - (brokerNowMs() ?? end)));
    },
  };
}

/** Milliseconds between two looks at most: the broker clock may be corrected. */
const changeMaxMs = 60_000;
