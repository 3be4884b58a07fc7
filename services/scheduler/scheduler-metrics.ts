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
  /** Labels: kind. */
  readonly remarks: Counter;
  /** Labels: bank. */
  readonly released: Counter;
  /** Reads of the store to fill a page of held debits up. Labels: bank. */
  readonly queueReads: Counter;
  /** Labels: fact. */
  readonly deadLetters: Counter;
  /** Labels: kind, result. */
  readonly actions: Counter;
  /** Labels: scheme. */
  readonly windowsMissed: Counter;
  /** Labels: lane. */
  readonly lostWrites: Counter;
  /** Labels: lane. */
  readonly positionLag: Gauge;
  /** Labels: lane. */
  readonly ageMs: Gauge;
  /** Labels: lane. */
  readonly deadlines: Gauge;
  /** Labels: lane. 1: a day of it is not conserved. */
  readonly conservationBroken: Gauge;
  /** Labels: lane, column. Of the day that was checked last. */
  readonly conservationTransactions: Gauge;
  /** Held debits by bank of a lane; a bank that is not named any more has none. */
  held(lane: number, banks: ReadonlyMap<string, number>): void;
  /** Credits of a lane that keep a bank's gate closed, by bank; a bank that is not named any more has none. */
  gateCredits(lane: number, banks: ReadonlyMap<string, number>): void;
}

export function schedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const labels = ["lane", "bank"] as const;
  const held = metrics.gauge("sluice_scheduler_held_debits", "Held debits in memory, waiting for their window or their turn", labels);
  const gateCredits = metrics.gauge(
    "sluice_scheduler_gate_credits",
    "Unresolved credits from before a declaration of credits final, which keep the gate of a bank closed",
    labels,
  );
  return {
    decisions: metrics.counter("sluice_scheduler_decisions_total", "Records judged", ["fact", "decision", "state"]),
    entries: metrics.counter("sluice_scheduler_state_entries_total", "Entries of transactions into a state", ["state"]),
    items: metrics.counter("sluice_scheduler_items_total", "Reconciliation items made", ["state"]),
    remarks: metrics.counter("sluice_scheduler_remarks_total", "Messages recorded beside a transaction, without effect on its state", [
      "kind",
    ]),
    queueReads: metrics.counter("sluice_scheduler_queue_reads_total", "Reads of the store to fill a page of held debits up", ["bank"]),
    released: metrics.counter("sluice_scheduler_releases_total", "Releases appended", ["bank"]),
    deadLetters: metrics.counter("sluice_scheduler_dead_letters_total", "Records put aside", ["fact"]),
    actions: metrics.counter("sluice_scheduler_actions_total", "What operators asked for, by what came of it", ["kind", "result"]),
    windowsMissed: metrics.counter("sluice_scheduler_windows_missed_total", "Processing windows that never opened", ["scheme"]),
    lostWrites: metrics.counter("sluice_scheduler_lost_writes_total", "Batches judged again because another writer was faster", ["lane"]),
    positionLag: metrics.gauge("sluice_scheduler_position_lag_records", "Records done and not yet covered by the position", ["lane"]),
    ageMs: metrics.gauge("sluice_scheduler_record_age_milliseconds", "Age of the newest record done, by agreed time", ["lane"]),
    deadlines: metrics.gauge("sluice_scheduler_deadlines", "Open credits in memory, waiting for their deadline", ["lane"]),
    conservationBroken: metrics.gauge("sluice_conservation_broken", "1: what came and what became of it do not add up on some day", [
      "lane",
    ]),
    conservationTransactions: metrics.gauge(
      "sluice_conservation_transactions",
      "Transactions of the day that was checked last, by column",
      ["lane", "column"],
    ),
    held: byBank(held),
    gateCredits: byBank(gateCredits),
  };
}

/** Sets the banks given, and all that were shown of the lane before to none. */
function byBank(gauge: Gauge): (lane: number, banks: ReadonlyMap<string, number>) => void {
  /** Bounded by lanes × banks. */
  const banksShown = new Map<number, Set<string>>();
  return (lane, banks) => {
    const shown = banksShown.get(lane) ?? new Set();
    banksShown.set(lane, shown);
    for (const bank of banks.keys()) shown.add(bank);
    for (const bank of shown) gauge.set(banks.get(bank) ?? 0, { lane: String(lane), bank });
  };
}
