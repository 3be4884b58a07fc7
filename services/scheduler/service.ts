// The scheduler is the only writer of transactions and business days. It reads the journal, one worker for each
// partition; asks the domain what each record means; writes the snapshots; produces what follows; and runs the
// background tasks of the partitions that it owns. This file is its table of contents.
//
//   record of the journal                                handler                  what follows
//   DirectDebitReceived CreditTransferReceived           on-transaction-fact.ts   state; events, deliveries, stops
//   StatusReportReceived AccountVerified                 on-transaction-fact.ts   state; events, deliveries, stops
//   Release DeliveryEnded DayClosed DeadlinePassed       on-transaction-fact.ts   state; events, deliveries, stops
//   WithdrawalRequested RedriveRequested                 on-transaction-fact.ts   an operator's decision
//   DeliveryStopRequested                                on-transaction-fact.ts   an operator's decision
//   ItemResolutionRequested ItemResolutionConfirmed      on-transaction-fact.ts   an operator's finding about an item
//   ItemResolutionRejected                               on-transaction-fact.ts   another person rejects that
//   ItemNoteRequested                                    on-transaction-fact.ts   an operator's note at an item
//   DeadLettersReplayed                                  on-transaction-fact.ts   its dead letters follow right behind
//   DayPlanned DayTimeReached                            on-day-fact.ts           day; markers to every partition
//   CreditsFinalRequested                                on-day-fact.ts           day; markers to every partition
//   PartitionCredits PartitionBankClear                  on-day-fact.ts           day; markers to every partition
//   CloseExtensionRequested GateOpeningRequested         on-day-fact.ts           an operator's decision; markers
//   BankPauseRequested BankResumeRequested               on-bank-fact.ts          bank; markers to three topics
//   DayTimes DayVoid WindowOpened WindowClosed           on-day-marker.ts         applied by the partition
//   CreditsDeclared GateOpened DayReconciled             on-day-marker.ts         applied by the partition
//   BankPaused BankResumed                               on-bank-marker.ts        applied by the partition
//   unreadable, undecidable, or skipped by an operator   dead-letter-record.ts    dead letter; transaction quarantined
//
//   background task         appends            when
//   releaser.ts             Release            a held debit's window and gate are open and its bank has room
//   day-closer.ts           DayClosed          a day is reconciled and a debit of it is unresolved, or its outcome report
//                                              is not acknowledged; its last window is closed, or the day was voided,
//                                              and a held debit is carried over to the next business date
//   deadlines.ts            DeadlinePassed     a credit's deadline has passed and it is unresolved, or its outcome report
//                                              is not acknowledged
//   gate-reporter.ts        PartitionCredits   credits were declared final
//                           PartitionBankClear the last credit to a bank from before that has ended
//   day-clock.ts            DayTimeReached     the broker clock has passed a planned time
//   day-planner.ts          DayPlanned         at start and at local midnight
//   missing-day-planner.ts  DayPlanned         a past date that an open debit names was never planned
//   ledger-audit.ts         nothing            a day was reconciled, or the partition was taken over: it compares the
//                                              accepted transactions with what became of them (I11)
//   snapshot-keeper.ts     TransactionSnapshot an older snapshot has landed behind the newest one

import { rulesVersion } from "@sluice/domain";
import { groups, type RecordKind, recordKinds, topics } from "@sluice/contracts";
import {
  createBatchConsumer,
  startBrokerClock,
  createOperatorSkips,
  createPartitionWatch,
  createProbe,
  type PartitionConsumer,
  readAroundSkips,
} from "@sluice/messaging";
import { type Configuration, createLiveConfiguration } from "@sluice/config";
import type { ConfiguredService, ServicePorts } from "@sluice/process";
import type { Readiness } from "@sluice/kernel";
import { openOperatorJudge } from "@sluice/signatures";
import { startStoreProbe, type Store } from "@sluice/store";
import { createFactAppender } from "./tasks/append-facts.ts";
import type { JournalHandler, JournalHandlers } from "./handlers/handler.ts";
import { openPartitionWorker } from "./partition/worker.ts";
import { analystRecordsMax } from "./partition/analysts/waiting-records.ts";
import { type PageBounds, type PartitionContext, usualPages } from "./partition/context.ts";
import { onBankFact } from "./handlers/on-bank-fact.ts";
import { onBankMarker } from "./handlers/on-bank-marker.ts";
import { onDayFact } from "./handlers/on-day-fact.ts";
import { onDayMarker } from "./handlers/on-day-marker.ts";
import { createPositionTimer } from "./partition/stored/position.ts";
import { createSharedStore } from "./partition/stored/shared-store.ts";
import { onReplayAnnounced, onTransactionFact } from "./handlers/on-transaction-fact.ts";
import { type DayPlanner, startDayPlanner } from "./tasks/day-planner.ts";
import { createMutex } from "./mutex.ts";
import { startSchedulerCounts, createSchedulerMetrics } from "./scheduler-metrics.ts";
import { createSnapshotCaches } from "./partition/snapshot-cache.ts";
import { warmUp } from "./warm-up.ts";

export { rebuildPartitions } from "./rebuild/rebuild.ts";

const handlersByKind: Readonly<Record<Exclude<RecordKind, "none">, JournalHandler>> = {
  transaction: onTransactionFact,
  day: onDayFact,
  bank: onBankFact,
  "day-marker": onDayMarker,
  "bank-marker": onBankMarker,
};

export const journalHandlers: JournalHandlers = {
  ...Object.fromEntries(
    Object.entries(recordKinds).flatMap(([name, kind]) => (kind === "none" ? [] : [[name, handlersByKind[kind]] as const])),
  ),
  DeadLettersReplayed: onReplayAnnounced,
};

export interface SchedulerPorts extends ServicePorts {
  readonly store: Store;
  /** The version of the rules of another release, which a test plays; absent: that of this one. */
  readonly rulesVersion?: number;
  /** Pages that are small, so that a test has more than one of them; absent: the usual ones. */
  readonly pages?: PageBounds;
  /** Reports that the service cannot go on; its process must end. */
  fail(reason: unknown): void;
}

const service = "scheduler";
/**
 * Records in a batch of one partition. All partitions may run a batch at once, and each record brings its snapshot, its
 * document and its outputs into memory. Larger batches were not faster (measured: 500, 200, 100).
 */
const batchRecordsMax = 100;
const bufferedRecordsMax = 200;

export async function startScheduler(ports: SchedulerPorts): Promise<ConfiguredService> {
  const { time, random, logger, messaging, store, serde, partitionCount } = ports;
  const live = createLiveConfiguration(ports.configuration);
  await using opening = new AsyncDisposableStack();
  const outputs = opening.adopt(await messaging.producer("scheduler-outputs"), (producer) => producer.close());
  const facts = opening.adopt(await messaging.producer("scheduler-facts"), (producer) => producer.close());
  const brokerClock = opening.adopt(startBrokerClock({ time, logger, metrics: ports.metrics, probe: createProbe(facts) }), (clock) =>
    clock.stop(),
  );
  const append = createFactAppender({ producer: facts, serde, partitionCount, brokerClock, logger });
  const brokerNowMs = (): number | null => brokerClock.nowMs();
  const metrics = createSchedulerMetrics(ports.metrics);
  const planner = opening.adopt(
    startDayPlanner({ schemes: ports.configuration.schemes, partitionCount, append, brokerNowMs, metrics, time, logger }),
    (task) => task.stop(),
  );
  const storeProbe = opening.adopt(startStoreProbe({ store, time }), (probe) => probe.stop());
  const operators = openOperators(ports, live.view);
  let owned: PartitionConsumer | null = null;
  const schemeIds = ports.configuration.schemes.map(({ id }) => id);
  startSchedulerCounts(metrics, schemeIds);
  const rulesInForce = ports.rulesVersion ?? rulesVersion;
  const rulesHelp = "Version of the rules by which this process decides records.";
  ports.metrics.gauge("sluice_decision_rules_version", rulesHelp).set(rulesInForce);
  const context: PartitionContext = {
    service,
    handlers: journalHandlers,
    ...pickPorts(ports),
    store: createSharedStore(store, time),
    positionTimer: createPositionTimer(time),
    configuration: live.view,
    pages: ports.pages ?? usualPages,
    analystRecordsMax,
    rulesVersion: rulesInForce,
    append,
    brokerClock,
    metrics,
    producer: outputs,
    ...createJournalReads(ports),
    ...operators,
    serializeAudit: createMutex(),
    snapshots: createSnapshotCaches(),
    acknowledgedAtMs: new Map(),
    watch: createPartitionWatch({ service, store: store.partitions, time, logger }),
    heartbeatAgeMs: () => owned?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY,
  };
  await warmUp({ ...ports, service, handlers: journalHandlers, rulesVersion: rulesInForce });
  owned = await createBatchConsumer({
    messaging,
    group: groups.scheduler,
    topic: topics.journal,
    batchRecordsMax,
    bufferedRecordsMax,
    time,
    random,
    logger,
    metrics: ports.metrics,
    operatorSkips: operators.operatorSkips,
    open: (partition, _epoch, assigned, assignmentOver) => openPartitionWorker(context, partition, assigned, assignmentOver),
    fail: (reason) => ports.fail(reason),
  });
  const running = opening.adopt(owned, (consumed) => consumed.stop());
  const open = opening.move();
  let stopped: Promise<void> | null = null;
  return {
    replaceConfiguration: (next) => live.replace(next),
    readiness: () => readiness(running.readiness(), planner, storeProbe.trouble()),
    stop: () => (stopped ??= open.disposeAsync()),
  };
}

/** Who judges operators' records, and what operators asked to skip. */
function openOperators(ports: SchedulerPorts, configuration: Configuration): Pick<PartitionContext, "operatorJudge" | "operatorSkips"> {
  const { messaging, serde } = ports;
  const operatorJudge = openOperatorJudge({ ...ports, configuration }, service);
  return { operatorJudge, operatorSkips: createOperatorSkips({ messaging, serde, service, isValid: operatorJudge.countsLetter }) };
}

function pickPorts({ time, logger, serde, partitionCount, messaging, tracer }: SchedulerPorts) {
  return { time, logger, serde, partitionCount, messaging, ...(tracer === undefined ? {} : { tracer }) };
}

function createJournalReads({
  messaging,
  time,
}: Pick<SchedulerPorts, "messaging" | "time">): Pick<PartitionContext, "journalEnds" | "journalIdentity" | "read"> {
  return {
    journalEnds: async (partition) => (await messaging.ends([{ topic: topics.journal, partition }]))[0] ?? null,
    journalIdentity: () => messaging.identity(topics.journal),
    read: (partition, from, to, skips) =>
      readAroundSkips(messaging, skips, { topic: topics.journal, partition }, { from, to, nowMs: time.nowMs() }),
  };
}

function readiness(partitions: Readiness, planner: Pick<DayPlanner, "isAppended" | "missing">, storeTrouble: string | null): Readiness {
  const reasons = [...partitions.reasons];
  if (!planner.isAppended()) reasons.push("days: not planned yet");
  else reasons.push(...planner.missing().map((day) => `days: ${day} is not planned yet`));
  if (storeTrouble !== null) reasons.push(`store: ${storeTrouble}`);
  return { isReady: partitions.isReady && planner.isAppended() && storeTrouble === null, reasons };
}
