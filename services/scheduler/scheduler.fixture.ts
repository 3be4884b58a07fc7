// The test environment of the scheduler: the scheduler on memory adapters under a virtual clock. The environment plays
// validator, dispatcher and bank by appending to the journal.
//
// The day is 2026-11-20 in +02:00; the clock starts at 07:00:00. Window 07:00:10 to 07:01:00, reconciliation 07:01:30.
// A credit's deadline is two minutes after its receipt.

import type { SchemeTimes } from "@sluice/calendar";
import type { Bank, Configuration, Scheme } from "@sluice/config";
import {
  type AnyDecodedRecord,
  createFixedSerde,
  type DecodedRecord,
  outgoingRecord,
  partitionFor,
  type RecordName,
  type Serde,
  topics,
} from "@sluice/contracts";
import {
  createMemoryBroker,
  createOperatorSkips,
  createPartitionWatch,
  type MemoryBroker,
  type MemoryClient,
  type MemoryHooks,
  type Producer,
  type ReceivedRecord,
} from "@sluice/messaging";
import { rulesVersion } from "@sluice/domain";
import { type ErrorFields, type Logger, type LogFields, type Metrics, type Running, silentLogger, silentMetrics } from "@sluice/kernel";
import { createDataKeys, createSealingSerde, type KeyService, scopeFor } from "@sluice/secrecy";
import { openOperatorJudge, type OperatorSignatures } from "@sluice/signatures";
import { createMemoryStore, type MemoryStore, type MemoryStoreHooks, type Store, type TransactionDocument } from "@sluice/store";
import {
  createVirtualTime,
  drawUetr,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleScheme,
  seededRandom,
  type VirtualTime,
} from "@sluice/testkit";
import {
  creditRecord,
  type CreditRecordOptions,
  creditsFinalRecord,
  type EndedOutcome,
  endedRecord,
  offUsDebitRecord,
  onUsDebitRecord,
  type ReportRecordOptions,
  schedulerBank,
  schedulerDay,
  type SentLetter,
  statusReportRecord,
  verdictRecord,
} from "./journal-records.fixture.ts";
import { analystRecordsMax } from "./partition/analysts/waiting-records.ts";
import { type PartitionContext, usualPages } from "./partition/context.ts";
import { createSchedulerMetrics } from "./scheduler-metrics.ts";
import { createPositionTimer } from "./partition/stored/position.ts";
import { createSnapshotCaches } from "./partition/snapshot-cache.ts";
import { journalHandlers, startScheduler } from "./service.ts";
import { follow, killable, killableTime } from "./killable-ports.fixture.ts";

export const schedulerStartAtMs = Date.UTC(2026, 10, 20, 5, 0, 0);
export const opensAtMs = schedulerStartAtMs + 10_000;
export const closesAtMs = schedulerStartAtMs + 60_000;
export const reconciliationAtMs = schedulerStartAtMs + 90_000;
export const creditDeadlineMs = 120_000;
export { schedulerBank, schedulerBusinessDate, schedulerConnector, schedulerDay } from "./journal-records.fixture.ts";

/** The times of every scheme, unless an environment names others. */
export const environmentTimes: SchemeTimes = {
  calendar: { version: "test-1", zone: "+02:00", workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
  processing: [{ opens: "07:00:10", closes: "07:01:00" }],
  reconciliation: "07:01:30",
  cutOffMs: 1_000,
};

export interface SchedulerEnvironmentOptions {
  readonly seed?: number;
  readonly partitionCount?: number;
  readonly maxUnacknowledged?: number;
  readonly creditsFinal?: Scheme["creditsFinal"];
  readonly times?: SchemeTimes;
  /** Banks in addition to `first`. */
  readonly banks?: readonly string[];
  /** Options of the bank `first`. */
  readonly bankOptions?: Partial<Bank>;
  /** Called with each line that schedulers log at info. */
  readonly onInfo?: (event: string, fields: LogFields) => void;
  /** Called with each line that schedulers log as a warning or an error. */
  readonly onProblem?: (event: string, fields: ErrorFields) => void;
  readonly brokerHooks?: MemoryHooks;
  readonly storeHooks?: MemoryStoreHooks;
  /** What operators' records must be signed with; left out: they need not be. */
  readonly operatorSignatures?: OperatorSignatures;
  /** Metrics of schedulers that are started without their own. */
  readonly metrics?: Metrics;
  /** What is appended is sealed, under the key of the bank `first` and the month. */
  readonly keyService?: KeyService;
}

export interface DecodedReceivedRecord<N extends RecordName> extends ReceivedRecord {
  readonly decoded: DecodedRecord<N>;
}

export interface StartedScheduler extends Running {
  readonly client: MemoryClient;
  readonly failures: unknown[];
  /** Ends the process: its timers do not fire, its calls are never answered. */
  kill(): void;
}

export class SchedulerEnvironment {
  /** Milliseconds by which the broker's clock is ahead of all others. */
  brokerAheadMs = 0;
  readonly time: VirtualTime;
  readonly broker: MemoryBroker;
  store: Store;
  readonly serde: Serde;
  readonly partitionCount: number;
  readonly #options: SchedulerEnvironmentOptions;
  readonly #random;
  readonly #producer: Promise<Producer>;
  #processes = 0;
  #hasKey = false;
  /** Kills the scheduler started last, also from a hook. */
  kill: () => void = () => {};

  constructor(options: SchedulerEnvironmentOptions = {}) {
    const seed = options.seed ?? 1;
    this.#options = options;
    this.partitionCount = options.partitionCount ?? 2;
    this.time = createVirtualTime({ startAtMs: schedulerStartAtMs, seed });
    this.serde = this.newSerde();
    this.#random = seededRandom(seed);
    const { time } = this;
    const partitions = Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : this.partitionCount] as const);
    this.broker = createMemoryBroker({
      time,
      random: this.#random,
      topics: Object.fromEntries(partitions),
      brokerNowMs: () => time.nowMs() + this.brokerAheadMs,
      ...(options.brokerHooks === undefined ? {} : { hooks: options.brokerHooks }),
    });
    this.store = this.emptyStore();
    this.#producer = this.broker.client("test").producer("test");
  }

  /** The serde of another process: it has no key at hand. */
  newSerde(): Serde {
    const { keyService: service } = this.#options;
    const serde = createFixedSerde();
    return service === undefined ? serde : createSealingSerde({ serde, keys: createDataKeys({ service, time: this.time }) });
  }

  emptyStore(): MemoryStore {
    const { storeHooks } = this.#options;
    return createMemoryStore({ time: this.time, random: this.#random, ...(storeHooks === undefined ? {} : { hooks: storeHooks }) });
  }

  /** The store as a process sees it: it goes on with the one that is put in its place. */
  liveStore(): Store {
    return follow(() => this.store);
  }

  /** Starts a scheduler; `times` belong to its configuration if it is newer than the environment's. */
  async scheduler(
    own: { readonly serde?: Serde; readonly times?: SchemeTimes; readonly metrics?: Metrics } = {},
  ): Promise<StartedScheduler> {
    this.#processes += 1;
    const client = this.broker.client(`scheduler-${this.#processes}`);
    const failures: unknown[] = [];
    const life = { isOver: false };
    const kill = (): void => {
      life.isOver = true;
      client.kill();
    };
    this.kill = kill;
    const started = startScheduler({
      time: killableTime(this.time, life),
      random: this.#random,
      logger: this.#log(),
      metrics: own.metrics ?? this.#options.metrics ?? silentMetrics,
      messaging: client,
      store: killable(this.liveStore(), life),
      serde: own.serde ?? this.serde,
      configuration: this.#configuration(own.times),
      partitionCount: this.partitionCount,
      fail: (reason) => void failures.push(reason),
    });
    const running = await this.settle(started);
    return { client, failures, readiness: () => running.readiness(), stop: () => this.settle(running.stop()), kill };
  }

  /** Builds the context of one partition without the group: what `openPartitionWorker` needs. */
  async partitionContext(own: Partial<PartitionContext> = {}): Promise<PartitionContext> {
    const producer = await this.settle(this.broker.client("partition").producer("partition"));
    return {
      service: "scheduler",
      handlers: journalHandlers,
      time: this.time,
      logger: silentLogger,
      metrics: createSchedulerMetrics(silentMetrics),
      store: this.liveStore(),
      positionTimer: createPositionTimer(this.time),
      serde: this.serde,
      configuration: this.#configuration(),
      partitionCount: this.partitionCount,
      pages: usualPages,
      analystRecordsMax,
      rulesVersion,
      producer,
      messaging: this.broker.client("snapshots"),
      operatorJudge: openOperatorJudge({ configuration: this.#configuration(), logger: silentLogger, metrics: silentMetrics }, "scheduler"),
      operatorSkips: createOperatorSkips({ messaging: this.broker.client("skips"), serde: this.serde, service: "scheduler" }),
      journalEnds: async (partition) => (await this.broker.ends([{ topic: topics.journal, partition }]))[0] ?? null,
      journalIdentity: () => this.broker.identity(topics.journal),
      append: () => Promise.resolve(true),
      brokerClock: { observe: () => {}, nowMs: () => this.time.nowMs() },
      serializeAudit: (count) => count(),
      snapshots: createSnapshotCaches(),
      read: (partition, from, to) => this.broker.client("reader").read({ topic: topics.journal, partition }, from, to),
      acknowledgedAtMs: new Map(),
      watch: createPartitionWatch({ service: "scheduler", store: this.liveStore().partitions, time: this.time, logger: silentLogger }),
      heartbeatAgeMs: () => 0,
      ...own,
    };
  }

  #log(): Logger {
    const { onInfo, onProblem } = this.#options;
    const problem = (event: string, fields: ErrorFields = {}): void => onProblem?.(event, fields);
    return { ...silentLogger, info: (event, fields = {}) => onInfo?.(event, fields), warn: problem, error: problem };
  }

  #configuration(times: SchemeTimes = this.#options.times ?? environmentTimes): Configuration {
    const { maxUnacknowledged = 256, creditsFinal = "clock", banks = [], bankOptions = {}, operatorSignatures = null } = this.#options;
    return sampleConfiguration({
      operatorSignatures,
      schemes: [sampleScheme({ times, creditsFinal, creditDeadlineMs }), sampleScheme({ id: "ZA_RTC", times })],
      banks: [
        sampleBank({ id: schedulerBank, maxUnacknowledged, ...bankOptions }),
        ...banks.map((id) => sampleBank({ id, maxUnacknowledged })),
      ],
      connectors: [sampleConnector()],
    });
  }

  uetr(): string {
    return drawUetr(this.#random);
  }

  /** Creates a UETR that belongs to this partition. */
  uetrInPartition(partition: number): string {
    for (;;) {
      const uetr = this.uetr();
      if (partitionFor(new TextEncoder().encode(uetr), this.partitionCount) === partition) return uetr;
    }
  }

  /** Advances time until the promise is settled. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.time.run({ until: () => isSettled, untilMs: this.time.nowMs() + 600_000, stepsMax: 1_000_000 });
    if (!isSettled) throw new Error("not settled within ten minutes of virtual time");
    return promise;
  }

  /** Advances time until the condition holds; it is checked while timers fire, at most every 20 ms. */
  async until(what: string, condition: () => boolean, withinMs = 300_000): Promise<void> {
    let checkedAtMs = Number.NEGATIVE_INFINITY;
    const until = (): boolean => {
      if (this.time.monotonicMs() - checkedAtMs < 20) return false;
      checkedAtMs = this.time.monotonicMs();
      return condition();
    };
    await this.time.run({ until, untilMs: this.time.nowMs() + withinMs, stepsMax: 5_000_000 });
    if (!condition()) throw new Error(`${what}: not within ${withinMs} ms`);
  }

  async append(topic: string, key: string, decoded: AnyDecodedRecord, partition?: number): Promise<void> {
    const options = partition === undefined ? { partitionCount: this.partitionCount } : { partitionCount: this.partitionCount, partition };
    const producer = await this.settle(this.#producer);
    const scope = scopeFor(schedulerBank, this.time.nowMs());
    const isSealed = this.#options.keyService !== undefined;
    if (isSealed && !this.#hasKey) await this.settle(this.serde.makeKey?.(scope) ?? Promise.resolve());
    this.#hasKey = true;
    const sealing = isSealed ? { ...options, sealUnder: { scope } } : options;
    await this.settle(producer.send([outgoingRecord(this.serde, topic, key, decoded, sealing)]));
  }

  async appendRaw(
    partition: number,
    key: Uint8Array | null,
    value: Uint8Array | null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const producer = await this.settle(this.#producer);
    await this.settle(producer.send([{ topic: topics.journal, partition, key, value, headers }]));
  }

  debit(uetr: string, receivedAtMs = this.time.nowMs(), messageIdentification?: string): DecodedRecord<"DirectDebitReceived"> {
    const named = messageIdentification === undefined ? {} : { messageIdentification };
    return onUsDebitRecord({ uetr, receivedAtMs, closesAtMs: reconciliationAtMs, ...named });
  }

  verdict(
    of: DecodedRecord<"DirectDebitReceived"> | DecodedRecord<"CreditTransferReceived">,
    verdict: "ACCEPTED" | "REFUSED" = "ACCEPTED",
  ) {
    return verdictRecord(of, verdict);
  }

  deliveryEnded(uetr: string, sent: SentLetter, outcome: EndedOutcome = "ACKNOWLEDGED"): DecodedRecord<"DeliveryEnded"> {
    return endedRecord(uetr, sent, outcome);
  }

  report(uetr: string, outcome: "made" | "not-made", options: Partial<ReportRecordOptions> = {}): DecodedRecord<"StatusReportReceived"> {
    return statusReportRecord({ uetr, outcome, receivedAtMs: this.time.nowMs(), ...options });
  }

  /**
   * Appends a debit that is accepted, and whose report is acknowledged: HELD once the scheduler has read it.
   * `carryOversMax` belongs to its verdict.
   */
  async hold(uetr: string, receivedAtMs?: number, of?: string, carryOversMax = 0): Promise<void> {
    const named = of === undefined ? {} : { bank: of };
    const debit = onUsDebitRecord({ uetr, receivedAtMs: receivedAtMs ?? this.time.nowMs(), closesAtMs: reconciliationAtMs, ...named });
    await this.append(topics.journal, uetr, debit);
    await this.append(topics.journal, uetr, verdictRecord(debit, "ACCEPTED", carryOversMax));
    await this.append(topics.journal, uetr, this.deliveryEnded(uetr, "A"));
  }

  /** Appends an accepted debit from the connector: HELD once the scheduler has read it. */
  async holdOffUs(uetr: string, of: string = schedulerBank): Promise<void> {
    const debit = offUsDebitRecord({ uetr, receivedAtMs: this.time.nowMs(), closesAtMs: reconciliationAtMs, bank: of });
    await this.append(topics.journal, uetr, debit);
    await this.append(topics.journal, uetr, this.verdict(debit));
  }

  creditReceived(uetr: string, options: Partial<CreditRecordOptions> = {}): DecodedRecord<"CreditTransferReceived"> {
    const nowMs = this.time.nowMs();
    return creditRecord({ uetr, receivedAtMs: nowMs, deadlineMs: nowMs + creditDeadlineMs, ...options });
  }

  /** Appends an accepted credit: dispatched to its bank once the scheduler has read it. */
  async credit(uetr: string, options: Partial<CreditRecordOptions> = {}): Promise<void> {
    const credit = this.creditReceived(uetr, options);
    await this.append(topics.journal, uetr, credit);
    await this.append(topics.journal, uetr, this.verdict(credit));
  }

  /** Appends the bank's report on a credit, which ends it. */
  async endCredit(uetr: string, of: string = schedulerBank): Promise<void> {
    await this.append(topics.journal, uetr, this.report(uetr, "made", { about: "credit", bank: of }));
  }

  /** Declares credits final, as the connector or as a bank for itself. */
  async declare(of: string | null = null): Promise<void> {
    await this.append(topics.journal, schedulerDay, creditsFinalRecord(of, this.time.nowMs()));
  }

  /** Reads the records of a topic, decoded, over all partitions. */
  records(topic: string): readonly DecodedReceivedRecord<RecordName>[] {
    const partitions = Array.from({ length: this.partitionCount }, (_, partition) => this.broker.records({ topic, partition }));
    // A record in wire format begins with 0; tests that append anything else do not look for it here.
    const readable = partitions.flat().filter(({ value }) => value === null || value[0] === undefined || value[0] === 0);
    return readable.map((record) => ({ ...record, decoded: this.serde.decode(record.value ?? new Uint8Array()) }));
  }

  named<N extends RecordName>(topic: string, name: N): readonly DecodedReceivedRecord<N>[] {
    const isNamed = (record: DecodedReceivedRecord<RecordName>): record is DecodedReceivedRecord<N> => record.decoded.name === name;
    return this.records(topic).filter(isNamed);
  }

  async document(uetr: string): Promise<TransactionDocument | null> {
    const found = await this.settle(this.store.transactions.load([uetr]));
    return found.get(uetr) ?? null;
  }

  async states(uetr: string): Promise<readonly string[]> {
    const document = await this.document(uetr);
    return document?.transaction.transitions.map(({ state }) => state) ?? [];
  }

  /** Lists the states of a UETR that have events, in order, repeats by id removed. */
  events(uetr: string): readonly string[] {
    const events = this.named(topics.events, "TransactionStateEvent").filter(({ decoded }) => decoded.value.uetr === uetr);
    return [...new Map(events.map(({ decoded }) => [decoded.value.id, `${decoded.value.stageVersion} ${decoded.value.state}`])).values()];
  }
}
