// Runs the background tasks of a partition while this process owns it. They learn what each batch did after it is
// written and produced, and append facts; none of them keeps anything that must survive.

import { findBank } from "@sluice/config";
import { type Day, dayKey, type Marker } from "@sluice/domain";
import type { AppendResult } from "@sluice/messaging";
import type { OpenRow, UnreadRow } from "@sluice/store";
import type { PartitionContext } from "../partition/context.ts";
import { startDayCloser } from "./day-closer.ts";
import { startLedgerAudit } from "./ledger-audit.ts";
import { startGateReporter } from "./gate-reporter.ts";
import { startDayClock } from "./day-clock.ts";
import { startDeadlineTask } from "./deadlines.ts";
import type { HandledRecord } from "../handlers/handler.ts";
import type { DayLedgers } from "../partition/day-ledgers.ts";
import type { AppliedMarkers } from "../partition/applied-markers.ts";
import { hasBegun } from "../partition/read-day-markers.ts";
import { startReleaser } from "./release/releaser.ts";
import { startMissingDayPlanner } from "./missing-day-planner.ts";
import { createQuarantineCount } from "./quarantine-count.ts";
import { startSnapshotKeeper } from "./snapshot-keeper.ts";

export interface PartitionTasks {
  /** Adds an open transaction; called for each one at take-over, before `wake`. */
  fill(row: OpenRow | UnreadRow): void;
  /** Sets the quarantined transactions of the take-over. */
  fillQuarantined(uetrs: readonly string[]): void;
  /** Takes note of what a batch did. */
  observe(handled: readonly HandledRecord[]): void;
  /** Learns where a batch's outputs are. */
  onAppended(appended: readonly AppendResult[]): void;
  /** Called when the partition has applied a marker for the first time. */
  onMarkerApplied(marker: Marker): void;
  /** Called when a bank was paused or resumed. */
  onBankMarkerApplied(): void;
  wake(): void;
  stop(): void;
}

export interface PartitionTasksOptions {
  readonly context: PartitionContext;
  readonly partition: number;
  readonly markers: AppliedMarkers;
  readonly ledgers: DayLedgers;
  /** Open days whose key belongs to this partition. */
  readonly days: readonly Day[];
  /** Whether every record that the partition had when it was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
}

/** Starts the tasks; they do nothing before they are woken. */
export function startPartitionTasks({ context, partition, markers, ledgers, days, isCaughtUp }: PartitionTasksOptions): PartitionTasks {
  const { configuration, store, append, brokerClock, acknowledgedAtMs, partitionCount, time, logger, metrics } = context;
  const brokerNowMs = (): number | null => brokerClock.nowMs();
  const maxUnacknowledged = (bank: string): number => findBank(context.configuration, bank)?.maxUnacknowledged ?? 0;
  const shared = { partition, markers, append, time, logger };
  const paged = { store: store.transactions, pageKeysMax: context.pages.keysMax, pageRowsMax: context.pages.rowsMax };
  const releaser = startReleaser({
    ...shared,
    ...paged,
    partitionCount,
    maxUnacknowledged,
    brokerNowMs,
    isCaughtUp,
    acknowledgedAtMs,
    metrics,
  });
  const dayCloser = startDayCloser({ ...shared, ...paged });
  const gateReporter = startGateReporter({ ...shared, ...paged, metrics });
  const deadlines = startDeadlineTask({ ...paged, partition, append, brokerNowMs, isCaughtUp, time, logger, metrics });
  const dayClock = startDayClock({ partition, days, append, brokerNowMs, time, logger });
  const serialize = context.serializeAudit;
  const ledgerAudit = startLedgerAudit({ partition, ledgers, store: store.transactions, serialize, metrics, time, logger });
  ledgerAudit.fill(markers.days().filter((day) => hasBegun(markers.markersOf(day))));
  const { schemes } = configuration;
  const missingDayPlanner = startMissingDayPlanner({ ...shared, partitionCount, schemes, brokerNowMs, isCaughtUp });
  const snapshotKeeper = startSnapshotKeeper(context, partition);
  const quarantineCount = createQuarantineCount(partition, metrics);
  const tasks = [snapshotKeeper, releaser, dayCloser, gateReporter, deadlines, dayClock, ledgerAudit, missingDayPlanner];

  return {
    fill(row) {
      dayCloser.fill(row);
      if (row.flow === null) return;
      releaser.fill(row);
      deadlines.fill(row);
      missingDayPlanner.fill(row);
    },
    fillQuarantined: (uetrs) => quarantineCount.fill(uetrs),
    observe(handled) {
      for (const { transaction, day, name, decision, record } of handled) {
        if (day !== null) dayClock.observe(day);
        if (transaction === null) continue;
        quarantineCount.observe(transaction);
        releaser.observe(transaction, releases.has(name));
        gateReporter.observe(transaction);
        missingDayPlanner.observe(transaction);
        const isHandled = decision !== "dead-lettered";
        deadlines.observe(transaction, isHandled && name === "DeadlinePassed" ? record.appendedAtMs : null);
      }
      deadlines.onProgress();
      missingDayPlanner.onProgress();
      releaser.wake();
    },
    onAppended: (appended) => snapshotKeeper.onAppended(appended),
    onMarkerApplied(marker) {
      dayCloser.onMarkerApplied(marker);
      if (marker.kind === "DayReconciled") ledgerAudit.auditReconciled(dayKey(marker.scheme, marker.businessDate));
      if (gateMarkers.has(marker.kind)) gateReporter.wake();
      releaser.wake();
    },
    onBankMarkerApplied: () => releaser.wake(),
    wake() {
      for (const task of tasks) task.wake();
    },
    stop() {
      for (const task of tasks) task.stop();
      quarantineCount.stop();
    },
  };
}

/**
 * Records that count as a Release: also a dead-lettered one, and an unreadable record, which may have been one. A
 * second Release changes nothing; a missing one would be waited for.
 */
const releases: ReadonlySet<HandledRecord["name"]> = new Set<HandledRecord["name"]>(["Release", "unreadable"]);

const gateMarkers: ReadonlySet<Marker["kind"]> = new Set<Marker["kind"]>(["CreditsDeclared", "GateOpened", "DayReconciled"]);
