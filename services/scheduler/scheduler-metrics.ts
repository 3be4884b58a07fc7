// The scheduler's metrics.

import type { Counter, Gauge, Metrics } from "@sluice/kernel";

export interface SchedulerMetrics {
  /** Labels: fact, decision, state. */
  readonly decisions: Counter;
  /** Labels: state. */
  readonly entries: Counter;
  /** Labels: state (of the transaction at the close). */
  readonly items: Counter;
  /** Labels: kind. */
  readonly observations: Counter;
  /** Labels: bank. */
  readonly released: Counter;
  /** Reads of the store to refill a page of held debits. Labels: bank. */
  readonly queueReads: Counter;
  /** Labels: fact. */
  readonly deadLetters: Counter;
  /** Labels: kind, result. */
  readonly actions: Counter;
  /** Labels: scheme. */
  readonly windowsMissed: Counter;
  /** Labels: partition. */
  readonly lostWrites: Counter;
  /** The first offset that the journal still has. Labels: partition. */
  readonly journalStart: Gauge;
  /** Labels: partition. */
  readonly positionLag: Gauge;
  /** Labels: partition. */
  readonly ageMs: Gauge;
  /** Labels: partition. */
  readonly deadlines: Gauge;
  /** 1 if a day of the partition does not balance. Labels: partition. */
  readonly conservationBroken: Gauge;
  /** Transactions of the day that was checked last. Labels: partition, column. */
  readonly conservationTransactions: Gauge;
  /** Sets the held debits of a partition by bank; a bank that is no longer named has none. */
  setHeldDebits(partition: number, banks: ReadonlyMap<string, number>): void;
  /** Sets the credits of a partition that keep a gate closed, by bank; a bank that is no longer named has none. */
  setGateCredits(partition: number, banks: ReadonlyMap<string, number>): void;
}

export function createSchedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const labels = ["partition", "bank"] as const;
  const held = metrics.gauge("sluice_scheduler_held_debits", "Held debits in memory, waiting for their window or their release", labels);
  const gateCredits = metrics.gauge(
    "sluice_scheduler_gate_credits",
    "Unresolved credits from before a declaration of credits final, which keep the gate of a bank closed",
    labels,
  );
  return {
    journalStart: metrics.gauge(
      "sluice_scheduler_journal_start",
      "First offset that the journal still has; above 0 the store cannot be rebuilt from it",
      ["partition"],
    ),
    decisions: metrics.counter("sluice_scheduler_decisions_total", "Records handled", ["fact", "decision", "state"]),
    entries: metrics.counter("sluice_scheduler_state_entries_total", "Entries of transactions into a state", ["state"]),
    items: metrics.counter("sluice_scheduler_items_total", "Reconciliation items made", ["state"]),
    observations: metrics.counter("sluice_scheduler_observations_total", "Messages recorded as observations, without effect on the state", [
      "kind",
    ]),
    queueReads: metrics.counter("sluice_scheduler_queue_reads_total", "Reads of the store to refill a page of held debits", ["bank"]),
    released: metrics.counter("sluice_scheduler_releases_total", "Releases appended", ["bank"]),
    deadLetters: metrics.counter("sluice_scheduler_dead_letters_total", "Records dead-lettered", ["fact"]),
    actions: metrics.counter("sluice_scheduler_actions_total", "Requests of operators, by result", ["kind", "result"]),
    windowsMissed: metrics.counter("sluice_scheduler_windows_missed_total", "Processing windows that never opened", ["scheme"]),
    lostWrites: metrics.counter("sluice_scheduler_lost_writes_total", "Batches repeated because another writer was faster", ["partition"]),
    positionLag: metrics.gauge("sluice_scheduler_position_lag_records", "Records done and not yet covered by the position", ["partition"]),
    ageMs: metrics.gauge("sluice_scheduler_record_age_milliseconds", "Age of the newest record done, by the broker clock", ["partition"]),
    deadlines: metrics.gauge("sluice_scheduler_deadlines", "Open credits in memory, waiting for their deadline", ["partition"]),
    conservationBroken: metrics.gauge(
      "sluice_conservation_broken",
      "1: accepted transactions and what became of them do not balance on some day",
      ["partition"],
    ),
    conservationTransactions: metrics.gauge(
      "sluice_conservation_transactions",
      "Transactions of the day that was checked last, by column",
      ["partition", "column"],
    ),
    setHeldDebits: byBank(held),
    setGateCredits: byBank(gateCredits),
  };
}

/** Sets the given banks, and resets all others that were shown for the partition before. */
function byBank(gauge: Gauge): (partition: number, banks: ReadonlyMap<string, number>) => void {
  /** Bounded by partitions × banks. */
  const banksShown = new Map<number, Set<string>>();
  return (partition, banks) => {
    const shown = banksShown.get(partition) ?? new Set();
    banksShown.set(partition, shown);
    for (const bank of banks.keys()) shown.add(bank);
    for (const bank of shown) gauge.set(banks.get(bank) ?? 0, { partition: String(partition), bank });
  };
}
