// The scheduler: the only writer of transactions and business days. It reads the journal, one lane a partition; asks the domain what each record
// means; writes the snapshots; produces what follows; and keeps the standing tasks of the lanes it owns. This file is its table of contents.
//
//   record of the journal                                    handler                    what follows
//   DirectDebitReceived CreditTransferReceived               on-transaction-fact.ts     state; events, deliveries, stops
//   StatusReportReceived AccountVerified                     on-transaction-fact.ts     state; events, deliveries, stops
//   Release DeliveryEnded DayClosed DeadlinePassed           on-transaction-fact.ts     state; events, deliveries, stops
//   DayPlanned DayTimeReached                                on-day-fact.ts             day; markers to every lane
//   CreditsFinalRequested LaneCredits LaneBankClear          on-day-fact.ts             day; markers to every lane
//   DayTimes DayVoid WindowOpened WindowClosed               on-marker.ts               passed by the lane
//   CreditsDeclared GateOpened DayReconciled                 on-marker.ts               passed by the lane
//   WithdrawalRequested RedriveRequested                     on-transaction-fact.ts     what an operator asked of a transaction
//   ItemResolutionRequested ItemResolutionConfirmed          on-transaction-fact.ts     what operators found out about an item
//   DeadLettersReplayed                                      on-transaction-fact.ts     its dead letters follow right behind
//   CloseExtensionRequested GateOpeningRequested             on-day-fact.ts             what an operator asked of a day
//   BankPauseRequested BankResumeRequested                   on-bank-fact.ts            bank; markers to every lane, dispatcher and publisher
//   BankPaused BankResumed                                   on-bank-marker.ts          passed by the lane
//   nobody can read or judge it, or an operator said so      put-aside.ts               dead letters; its transaction is marked
//
//   standing task     appends          when
//   releasing.ts      Release          a held debit's turn has come
//   closing.ts        DayClosed        a day is reconciled and a debit of it is unresolved, or its outcome not acknowledged; its last window
//                                      is closed, or it was voided, and a held debit goes over to the next business date
//   deadlines.ts      DeadlinePassed   a credit's deadline has passed and it is unresolved, or its outcome not acknowledged
//   crediting.ts      LaneCredits      credits were declared final
//                     LaneBankClear    the last credit to a bank from before that has ended
//   day-clock.ts      DayTimeReached   agreed time has passed a planned time
//   planning.ts       DayPlanned       at start and at local midnight
//   unplanned.ts      DayPlanned       a past date that an open debit names was never planned
//   conserving.ts     nothing          a day was reconciled, or the lane was taken over: what came is counted against what became of it (I11)

import type { Configuration } from "@sluice/config";
import { groups, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { createAgreedTime, createAsides, createBatchLanes, createProbe } from "@sluice/messaging";
import type { Lanes, Messaging } from "@sluice/messaging";
import type { Random, Readiness, Running, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { createAppending } from "./appending.ts";
import type { Handlers } from "./handler.ts";
import { openLane } from "./lane.ts";
import type { LaneContext } from "./lane-context.ts";
import { onBankFact } from "./on-bank-fact.ts";
import { onBankMarker } from "./on-bank-marker.ts";
import { onDayFact } from "./on-day-fact.ts";
import { onMarker } from "./on-marker.ts";
import { openInTurn } from "./open-in-turn.ts";
import { onDeadLettersReplayed, onTransactionFact } from "./on-transaction-fact.ts";
import { startPlanning } from "./planning.ts";
import { createTurnTaking } from "./conserving.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";
import { createSnapshotCaches } from "./snapshot-cache.ts";
import { watchStore } from "./watch-store.ts";

export const handlers: Handlers = {
  DirectDebitReceived: onTransactionFact,
  CreditTransferReceived: onTransactionFact,
  StatusReportReceived: onTransactionFact,
  AccountVerified: onTransactionFact,
  Release: onTransactionFact,
  DeliveryEnded: onTransactionFact,
  DayClosed: onTransactionFact,
  DeadlinePassed: onTransactionFact,
  DayPlanned: onDayFact,
  DayTimeReached: onDayFact,
  CreditsFinalRequested: onDayFact,
  LaneCredits: onDayFact,
  LaneBankClear: onDayFact,
  DayTimes: onMarker,
  DayVoid: onMarker,
  WindowOpened: onMarker,
  WindowClosed: onMarker,
  CreditsDeclared: onMarker,
  GateOpened: onMarker,
  DayReconciled: onMarker,
  WithdrawalRequested: onTransactionFact,
  RedriveRequested: onTransactionFact,
  ItemResolutionRequested: onTransactionFact,
  ItemResolutionConfirmed: onTransactionFact,
  DeadLettersReplayed: onDeadLettersReplayed,
  CloseExtensionRequested: onDayFact,
  GateOpeningRequested: onDayFact,
  BankPauseRequested: onBankFact,
  BankResumeRequested: onBankFact,
  BankPaused: onBankMarker,
  BankResumed: onBankMarker,
};

export interface SchedulerPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Store;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the journal. */
  readonly lanes: number;
  /** The service cannot go on; its process must end. */
  fail(reason: unknown): void;
}

const service = "scheduler";
/** Of a lane. All lanes may have a batch under way, each record with its snapshot, its document and its outputs. More were not faster (measured: 500, 200, 100). */
const batchRecordsMax = 100;
const bufferedRecordsMax = 200;

export async function startScheduler(ports: SchedulerPorts): Promise<Running> {
  const { time, random, log, messaging, store, serde, configuration, lanes } = ports;
  await using opening = new AsyncDisposableStack();
  const outputs = opening.adopt(await messaging.producer("scheduler-outputs"), (producer) => producer.close());
  const facts = opening.adopt(await messaging.producer("scheduler-facts"), (producer) => producer.close());
  const agreedTime = opening.adopt(createAgreedTime({ time, log, metrics: ports.metrics, probe: createProbe(facts) }), (agreed) =>
    agreed.stop(),
  );
  const append = createAppending({ producer: facts, serde, lanes, agreedTime, log });
  const agreedNowMs = (): number | null => agreedTime.nowMs();
  const planning = opening.adopt(startPlanning({ schemes: configuration.schemes, lanes, append, agreedNowMs, time, log }), (task) =>
    task.stop(),
  );
  const storeWatch = opening.adopt(watchStore({ store, time }), (watch) => watch.stop());
  let owned: Lanes | null = null;
  const context: LaneContext = {
    service,
    handlers,
    time,
    log,
    store: openInTurn(store),
    serde,
    configuration,
    lanes,
    append,
    agreedTime,
    metrics: schedulerMetrics(ports.metrics),
    producer: outputs,
    asides: createAsides({ messaging, serde, service }),
    conservationTurn: createTurnTaking(),
    read: (partition, from, to) => messaging.read({ topic: topics.journal, partition }, from, to),
    snapshots: createSnapshotCaches(),
    acknowledgedAtMs: new Map(),
    heartbeatAgeMs: () => owned?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY,
  };
  owned = await createBatchLanes({
    messaging,
    group: groups.scheduler,
    topic: topics.journal,
    batchRecordsMax,
    bufferedRecordsMax,
    time,
    random,
    log,
    open: (partition, _epoch, assigned) => openLane(context, partition, assigned.logEnd),
    failed: (reason) => ports.fail(reason),
  });
  const running = opening.adopt(owned, (consumed) => consumed.stop());
  const open = opening.move();
  let stopped: Promise<void> | null = null;
  return {
    readiness: () => readiness(running.readiness(), planning.isAppended(), storeWatch.trouble()),
    stop: () => (stopped ??= open.disposeAsync()),
  };
}

function readiness(lanes: Readiness, isPlanAppended: boolean, storeTrouble: string | null): Readiness {
  const reasons = [...lanes.reasons];
  if (!isPlanAppended) reasons.push("days: not planned yet");
  if (storeTrouble !== null) reasons.push(`store: ${storeTrouble}`);
  return { isReady: reasons.length === 0, reasons };
}
