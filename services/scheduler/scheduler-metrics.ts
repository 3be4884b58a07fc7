// What the scheduler counts.

import type { Metrics } from "@sluice/telemetry";
import type { Counter, Gauge } from "@sluice/telemetry";

export interface SchedulerMetrics {
  /** Labels: fact, decision, state. */
  readonly decisions: Counter;
  /** Labels: state. */
  readonly entries: Counter;
  /** Labels: state (in which the close met the transaction). */
  readonly items: Counter;
  /** Labels: bank. */
  readonly released: Counter;
  /** Labels: fact. */
  readonly deadLetters: Counter;
  /** Labels: lane. */
  readonly lostWrites: Counter;
  /** Labels: lane. */
  readonly positionLag: Gauge;
  /** Labels: lane. */
  readonly ageMs: Gauge;
  /** Held debits by bank of a lane; a bank that is not named any more has none. */
  held(lane: number, banks: ReadonlyMap<string, number>): void;
}

export function schedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const held = metrics.gauge("sluice_scheduler_held_debits", "Held debits in memory, waiting for their window or their turn", [
    "lane",
    "bank",
  ]);
  /** Bounded by lanes × banks. */
  const banksShown = new Map<number, Set<string>>();
  return {
    decisions: metrics.counter("sluice_scheduler_decisions_total", "Records judged", ["fact", "decision", "state"]),
    entries: metrics.counter("sluice_scheduler_state_entries_total", "Entries of transactions into a state", ["state"]),
    items: metrics.counter("sluice_scheduler_items_total", "Reconciliation items made", ["state"]),
    released: metrics.counter("sluice_scheduler_releases_total", "Releases appended", ["bank"]),
    deadLetters: metrics.counter("sluice_scheduler_dead_letters_total", "Records put aside", ["fact"]),
    lostWrites: metrics.counter("sluice_scheduler_lost_writes_total", "Batches judged again because another writer was faster", ["lane"]),
    positionLag: metrics.gauge("sluice_scheduler_position_lag_records", "Records done and not yet covered by the position", ["lane"]),
    ageMs: metrics.gauge("sluice_scheduler_record_age_milliseconds", "Age of the newest record done, by agreed time", ["lane"]),
    held(lane, banks) {
      const shown = banksShown.get(lane) ?? new Set();
      banksShown.set(lane, shown);
      for (const bank of banks.keys()) shown.add(bank);
      for (const bank of shown) held.set(banks.get(bank) ?? 0, { lane: String(lane), bank });
    },
  };
}
