// The scheduler's metrics. Of the banks only the `banksShownMax` with the largest values have series of their own, so
// that a scrape stays small however many banks are configured.

import { recordKinds, stateNames } from "@sluice/contracts";
import { observationKinds } from "@sluice/domain";
import { findLargest, type Counter, type Gauge, type Histogram, type ListedMetric, type ListedSample, type Metrics } from "@sluice/kernel";

export interface SchedulerMetrics {
  /** Labels: fact, decision, state. */
  readonly decisions: Counter;
  /** Labels: state. */
  readonly entries: Counter;
  /** Seconds from the receipt of a debit or credit to its verdict. */
  readonly verdictSeconds: Histogram;
  /** Labels: state (of the transaction at the close). */
  readonly items: Counter;
  /** Labels: kind. */
  readonly observations: Counter;
  readonly released: Counter;
  /** Reads of the store to refill a page of held debits. */
  readonly queueReads: Counter;
  /** Labels: fact. */
  readonly deadLetters: Counter;
  /** Labels: kind, result. */
  readonly actions: Counter;
  /** Labels: scheme. */
  readonly windowsMissed: Counter;
  /** Labels: partition. */
  readonly lostWrites: Counter;
  /** How often the store was found restored to an older point. Labels: partition. */
  readonly storeGoneBack: Counter;
  /** The first offset that the journal still has. Labels: partition. */
  readonly journalStart: Gauge;
  /** Labels: partition. */
  readonly positionLag: Gauge;
  /** Labels: partition. */
  readonly deadlines: Gauge;
  /** Labels: partition. */
  readonly quarantined: Gauge;
  /** 1 if a day of the partition does not balance. Labels: partition. */
  readonly conservationBroken: Gauge;
  /** Transactions of the day that was checked last. Labels: partition, column. */
  readonly conservationTransactions: Gauge;
  /** Sets the held debits of a partition by bank; a bank that is no longer named has none. */
  setHeldDebits(partition: number, banks: ReadonlyMap<string, number>): void;
  /** Sets the held debits of a partition whose window is open and whose bank's gate is closed; likewise. */
  setDebitsAtClosedGates(partition: number, banks: ReadonlyMap<string, number>): void;
  /** Sets the held debits of a partition whose window and gate are open, by scheme; likewise. */
  setDueDebits(partition: number, schemes: ReadonlyMap<string, number>): void;
  /** Unix time at which the open window of a scheme closes; 0: none is open. Labels: scheme. */
  readonly windowCloses: Gauge;
  /** Unix time of the begin, in UTC, of the last date that this process has planned. Labels: scheme. */
  readonly plannedUntil: Gauge;
  /** Sets the credits of a partition that keep a gate closed, by bank; a bank that is no longer named has none. */
  setGateCredits(partition: number, banks: ReadonlyMap<string, number>): void;
}

/** What an alarm counts is there from the start: a series that begins with its first count shows no increase. */
export function startSchedulerCounts(
  { deadLetters, items, observations, windowsMissed }: Pick<SchedulerMetrics, "deadLetters" | "items" | "observations" | "windowsMissed">,
  schemes: readonly string[],
): void {
  for (const fact of [...Object.keys(recordKinds), "unreadable"]) deadLetters.add({ fact }, 0);
  for (const state of [...stateNames, "UNKNOWN"]) items.add({ state }, 0);
  for (const kind of observationKinds) observations.add({ kind }, 0);
  for (const scheme of schemes) windowsMissed.add({ scheme }, 0);
}

/** Seconds; an objective asks for 60. */
const verdictBuckets = [0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createSchedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const held = new BankTotals();
  const gateCredits = new BankTotals();
  const atClosedGates = new BankTotals();
  const due = new BankTotals();
  metrics.listed(Object.values(listedMetrics), () => [
    { name: listedMetrics.held.name, labels: {}, value: held.sum },
    ...held.largest(listedMetrics.bankHeld),
    ...gateCredits.largest(listedMetrics.gateCredits),
    ...atClosedGates.largest(listedMetrics.atClosedGates),
    ...due.list().map(([scheme, value]) => ({ name: listedMetrics.due.name, labels: { scheme }, value })),
    { name: listedMetrics.leftOut.name, labels: { metric: listedMetrics.bankHeld.name }, value: held.leftOut },
    { name: listedMetrics.leftOut.name, labels: { metric: listedMetrics.gateCredits.name }, value: gateCredits.leftOut },
    { name: listedMetrics.leftOut.name, labels: { metric: listedMetrics.atClosedGates.name }, value: atClosedGates.leftOut },
  ]);
  return {
    journalStart: metrics.gauge(
      "sluice_scheduler_journal_start",
      "First offset that the journal still has; above 0 the store cannot be rebuilt from it",
      ["partition"],
    ),
    decisions: metrics.counter("sluice_scheduler_decisions_total", "Records handled", ["fact", "decision", "state"]),
    entries: metrics.counter("sluice_scheduler_state_entries_total", "Entries of transactions into a state", ["state"]),
    verdictSeconds: metrics.histogram(
      "sluice_scheduler_verdict_seconds",
      "From the receipt of a debit or credit to its verdict, by the broker clock",
      [],
      verdictBuckets,
    ),
    items: metrics.counter("sluice_scheduler_items_total", "Reconciliation items made", ["state"]),
    observations: metrics.counter("sluice_scheduler_observations_total", "Messages recorded as observations, without effect on the state", [
      "kind",
    ]),
    queueReads: metrics.counter("sluice_scheduler_queue_reads_total", "Reads of the store to refill a page of held debits"),
    released: metrics.counter("sluice_scheduler_releases_total", "Releases appended"),
    deadLetters: metrics.counter("sluice_scheduler_dead_letters_total", "Records dead-lettered", ["fact"]),
    actions: metrics.counter("sluice_scheduler_actions_total", "Requests of operators, by result", ["kind", "result"]),
    windowsMissed: metrics.counter("sluice_scheduler_windows_missed_total", "Processing windows that never opened", ["scheme"]),
    lostWrites: metrics.counter("sluice_scheduler_lost_writes_total", "Batches repeated because another writer was faster", ["partition"]),
    storeGoneBack: metrics.counter(
      "sluice_scheduler_store_gone_back_total",
      "Times that the store was found restored to an older point under a running process",
      ["partition"],
    ),
    positionLag: metrics.gauge("sluice_scheduler_position_lag_records", "Records done and not yet covered by the position", ["partition"]),
    deadlines: metrics.gauge("sluice_scheduler_deadlines", "Open credits in memory, waiting for their deadline", ["partition"]),
    quarantined: metrics.gauge(
      "sluice_scheduler_quarantined_transactions",
      "Transactions with records in the dead letters that nobody has replayed; 10,000: at least as many at some time since the take-over",
      ["partition"],
    ),
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
    setHeldDebits: (partition, banks) => held.set(partition, banks),
    setGateCredits: (partition, banks) => gateCredits.set(partition, banks),
    setDebitsAtClosedGates: (partition, banks) => atClosedGates.set(partition, banks),
    setDueDebits: (partition, schemes) => due.set(partition, schemes),
    ...createDayMetrics(metrics),
  };
}

function createDayMetrics(metrics: Metrics): Pick<SchedulerMetrics, "windowCloses" | "plannedUntil"> {
  return {
    windowCloses: metrics.gauge("sluice_scheduler_window_closes_timestamp_seconds", "When the open window closes; 0: none is open", [
      "scheme",
    ]),
    plannedUntil: metrics.gauge("sluice_scheduler_planned_until_timestamp_seconds", "The last date that is planned, at its begin in UTC", [
      "scheme",
    ]),
  };
}

const banksShownMax = 50;

const listedMetrics = {
  held: listed("sluice_scheduler_held_debits", "Held debits in memory, waiting for their window or their release", []),
  bankHeld: listed("sluice_scheduler_bank_held_debits", "Held debits in memory, of the banks that have most", ["bank"]),
  gateCredits: listed(
    "sluice_scheduler_gate_credits",
    "Unresolved credits from before a declaration of credits final, which keep the gate of a bank closed",
    ["bank"],
  ),
  atClosedGates: listed(
    "sluice_scheduler_debits_at_closed_gates",
    "Held debits in memory whose window is open, and whose bank's credits gate is not",
    ["bank"],
  ),
  due: listed("sluice_scheduler_due_debits", "Held debits in memory whose window and gate are open", ["scheme"]),
  leftOut: listed("sluice_scheduler_left_out_banks", "Banks that have a value above zero, and no series of their own", ["metric"]),
} as const;

function listed(name: string, help: string, labels: readonly string[]): ListedMetric {
  return { name, help, kind: "gauge", labels };
}

/** The values of banks or schemes, added up over the partitions; one without a value is not kept. */
class BankTotals {
  readonly #totals = new Map<string, number>();
  readonly #byPartition = new Map<number, ReadonlyMap<string, number>>();
  sum = 0;

  set(partition: number, banks: ReadonlyMap<string, number>): void {
    for (const [bank, value] of this.#byPartition.get(partition) ?? []) this.#add(bank, -value);
    for (const [bank, value] of banks) this.#add(bank, value);
    this.#byPartition.set(partition, new Map(banks));
  }

  get leftOut(): number {
    return Math.max(0, this.#totals.size - banksShownMax);
  }

  list(): readonly (readonly [string, number])[] {
    return [...this.#totals];
  }

  largest({ name }: ListedMetric): readonly ListedSample[] {
    return findLargest(this.#totals, banksShownMax).map(([bank, value]) => ({ name, labels: { bank }, value }));
  }

  #add(bank: string, change: number): void {
    const value = (this.#totals.get(bank) ?? 0) + change;
    this.sum += change;
    if (value === 0) this.#totals.delete(bank);
    else this.#totals.set(bank, value);
  }
}
