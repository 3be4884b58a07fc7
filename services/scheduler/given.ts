// Given, when, then for the tests of this service: the scheduler on memory adapters under a virtual clock, and around it a small world that
// plays validator, dispatcher and bank by appending to the journal.
//
// The day is 2026-11-20 in +02:00; the clock starts at 07:00:00. Window 07:00:10 to 07:01:00, reconciliation 07:01:30. A credit's deadline is
// two minutes after its receipt.

import type { SchemeTimes } from "@sluice/calendar";
import type { Bank, Configuration, Scheme } from "@sluice/config";
import { fixedSerde, outgoingRecord, partitionOf, topics } from "@sluice/contracts";
import type { AnyDecoded, Decoded, RecordName, Serde } from "@sluice/contracts";
import { createAsides, createMemoryLog } from "@sluice/messaging";
import type { MemoryClient, MemoryHooks, MemoryLog, Producer, ReceivedRecord } from "@sluice/messaging";
import type { Running, Time } from "@sluice/runtime";
import { createMemoryStore } from "@sluice/store";
import type { MemoryStoreHooks, Store, TransactionDocument } from "@sluice/store";
import { silentLog, silentMetrics } from "@sluice/telemetry";
import type { ErrorFields, Log, LogFields } from "@sluice/telemetry";
import { createVirtualTime, sampleBank, sampleConfiguration, sampleConnector, sampleScheme, seededRandom, uetrFrom } from "@sluice/testkit";
import type { VirtualTime } from "@sluice/testkit";
import {
  bank,
  creditRecord,
  creditsFinalRecord,
  day,
  endedRecord,
  offUsDebitRecord,
  onUsDebitRecord,
  reportRecord,
  verdictOn,
} from "./given-records.ts";
import type { CreditOptions, Ended, ReportOptions, Sent } from "./given-records.ts";
import type { LaneContext } from "./lane-context.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";
import { createSnapshotCaches } from "./snapshot-cache.ts";
import { handlers, startScheduler } from "./service.ts";

export const startAtMs = Date.UTC(2026, 10, 20, 5, 0, 0);
export const opensAtMs = startAtMs + 10_000;
export const closesAtMs = startAtMs + 60_000;
export const reconciliationAtMs = startAtMs + 90_000;
export const creditDeadlineMs = 120_000;
export { bank, businessDate, connector, day } from "./given-records.ts";

/** Of every scheme, where a world names no others. */
export const worldTimes: SchemeTimes = {
  calendar: { version: "test-1", zone: "+02:00", workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
  processing: [{ opens: "07:00:10", closes: "07:01:00" }],
  reconciliation: "07:01:30",
  cutOffMs: 1_000,
};

export interface WorldOptions {
  readonly seed?: number;
  readonly lanes?: number;
  readonly maxUnacknowledged?: number;
  readonly creditsFinal?: Scheme["creditsFinal"];
  readonly times?: SchemeTimes;
  /** Beside `first`. */
  readonly banks?: readonly string[];
  /** Of `first`. */
  readonly bankOptions?: Partial<Bank>;
  /** Sees each line that schedulers log at info. */
  readonly onInfo?: (event: string, fields: LogFields) => void;
  /** Sees each line that schedulers log as a warning or an error. */
  readonly onTrouble?: (event: string, fields: ErrorFields) => void;
  readonly logHooks?: MemoryHooks;
  readonly storeHooks?: MemoryStoreHooks;
}

export interface RecordOf<N extends RecordName> extends ReceivedRecord {
  readonly decoded: Decoded<N>;
}

export interface StartedScheduler extends Running {
  readonly client: MemoryClient;
  readonly failures: unknown[];
  /** The process is gone: its timers do not fire, its calls are never answered. */
  kill(): void;
}

export class World {
  /** By how much the log's clock is ahead of everybody's. */
  brokerAheadMs = 0;
  readonly time: VirtualTime;
  readonly log: MemoryLog;
  store: Store;
  readonly serde = fixedSerde();
  readonly lanes: number;
  readonly #options: WorldOptions;
  readonly #random;
  readonly #producer: Promise<Producer>;
  #processes = 0;
  /** Kills the scheduler started last, also from a hook. */
  kill: () => void = () => {};

  constructor(options: WorldOptions = {}) {
    const seed = options.seed ?? 1;
    this.#options = options;
    this.lanes = options.lanes ?? 2;
    this.time = createVirtualTime({ startAtMs, seed });
    this.#random = seededRandom(seed);
    const { time } = this;
    const partitions = Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : this.lanes] as const);
    this.log = createMemoryLog({
      time,
      random: this.#random,
      topics: Object.fromEntries(partitions),
      brokerNowMs: () => time.nowMs() + this.brokerAheadMs,
      ...(options.logHooks === undefined ? {} : { hooks: options.logHooks }),
    });
    this.store = this.emptyStore();
    this.#producer = this.log.client("world").producer("world");
  }

  emptyStore(): Store {
    const { storeHooks } = this.#options;
    return createMemoryStore({ time: this.time, random: this.#random, ...(storeHooks === undefined ? {} : { hooks: storeHooks }) });
  }

  /** `times`: of its configuration, where it is newer than the world's. */
  async scheduler(own: { readonly serde?: Serde; readonly times?: SchemeTimes } = {}): Promise<StartedScheduler> {
    this.#processes += 1;
    const client = this.log.client(`scheduler-${this.#processes}`);
    const failures: unknown[] = [];
    const life = { isOver: false };
    const kill = (): void => {
      life.isOver = true;
      client.kill();
    };
    this.kill = kill;
    const started = startScheduler({
      time: mortalTime(this.time, life),
      random: this.#random,
      log: this.#log(),
      metrics: silentMetrics,
      messaging: client,
      store: mortal(this.store, life),
      serde: own.serde ?? this.serde,
      configuration: this.#configuration(own.times),
      lanes: this.lanes,
      fail: (reason) => void failures.push(reason),
    });
    const running = await this.done(started);
    return { client, failures, readiness: () => running.readiness(), stop: () => this.done(running.stop()), kill };
  }

  /** One lane by itself, without the group: what `openLane` needs. */
  async laneContext(own: Partial<LaneContext> = {}): Promise<LaneContext> {
    const producer = await this.done(this.log.client("lane").producer("lane"));
    return {
      service: "scheduler",
      handlers,
      time: this.time,
      log: silentLog,
      metrics: schedulerMetrics(silentMetrics),
      store: this.store,
      serde: this.serde,
      configuration: this.#configuration(),
      lanes: this.lanes,
      producer,
      asides: createAsides({ messaging: this.log.client("asides"), serde: this.serde, service: "scheduler" }),
      append: () => Promise.resolve(true),
      agreedTime: { saw: () => {}, nowMs: () => this.time.nowMs(), skewMs: () => null, stop: () => {} },
      conservationTurn: (count) => count(),
      snapshots: createSnapshotCaches(),
      read: (partition, from, to) => this.log.client("reader").read({ topic: topics.journal, partition }, from, to),
      acknowledgedAtMs: new Map(),
      heartbeatAgeMs: () => 0,
      ...own,
    };
  }

  #log(): Log {
    const { onInfo, onTrouble } = this.#options;
    const trouble = (event: string, fields: ErrorFields = {}): void => onTrouble?.(event, fields);
    return { ...silentLog, info: (event, fields = {}) => onInfo?.(event, fields), warn: trouble, error: trouble };
  }

  #configuration(times: SchemeTimes = this.#options.times ?? worldTimes): Configuration {
    const { maxUnacknowledged = 256, creditsFinal = "clock", banks = [], bankOptions = {} } = this.#options;
    return sampleConfiguration({
      schemes: [sampleScheme({ times, creditsFinal, creditDeadlineMs }), sampleScheme({ id: "ZA_RTC", times })],
      banks: [sampleBank({ id: bank, maxUnacknowledged, ...bankOptions }), ...banks.map((id) => sampleBank({ id, maxUnacknowledged }))],
      connectors: [sampleConnector()],
    });
  }

  uetr(): string {
    return uetrFrom(this.#random);
  }

  /** One whose lane this is. */
  uetrIn(lane: number): string {
    for (;;) {
      const uetr = this.uetr();
      if (partitionOf(new TextEncoder().encode(uetr), this.lanes) === lane) return uetr;
    }
  }

  /** Lets the world go on until the promise is settled. */
  async done<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.time.run({ until: () => isSettled, untilMs: this.time.nowMs() + 600_000, stepsMax: 1_000_000 });
    if (!isSettled) throw new Error("not done within ten minutes of the world's time");
    return promise;
  }

  /** Lets the world go on until the condition holds; while timers fire it is asked, at most every 20 ms. */
  async until(what: string, condition: () => boolean, withinMs = 300_000): Promise<void> {
    let askedAtMs = Number.NEGATIVE_INFINITY;
    const until = (): boolean => {
      if (this.time.monotonicMs() - askedAtMs < 20) return false;
      askedAtMs = this.time.monotonicMs();
      return condition();
    };
    await this.time.run({ until, untilMs: this.time.nowMs() + withinMs, stepsMax: 5_000_000 });
    if (!condition()) throw new Error(`${what}: not within ${withinMs} ms`);
  }

  async append(topic: string, key: string, decoded: AnyDecoded, partition?: number): Promise<void> {
    const options = partition === undefined ? { lanes: this.lanes } : { lanes: this.lanes, partition };
    const producer = await this.done(this.#producer);
    await this.done(producer.send([outgoingRecord(this.serde, topic, key, decoded, options)]));
  }

  async appendRaw(partition: number, key: Uint8Array | null, value: Uint8Array | null): Promise<void> {
    const producer = await this.done(this.#producer);
    await this.done(producer.send([{ topic: topics.journal, partition, key, value, headers: {} }]));
  }

  debitOf(uetr: string, receivedAtMs = this.time.nowMs(), messageIdentification?: string): Decoded<"DirectDebitReceived"> {
    const named = messageIdentification === undefined ? {} : { messageIdentification };
    return onUsDebitRecord({ uetr, receivedAtMs, closesAtMs: reconciliationAtMs, ...named });
  }

  verdictOf(of: Decoded<"DirectDebitReceived"> | Decoded<"CreditTransferReceived">, verdict: "ACCEPTED" | "REFUSED" = "ACCEPTED") {
    return verdictOn(of, verdict);
  }

  endedOf(uetr: string, sent: Sent, outcome: Ended = "ACKNOWLEDGED"): Decoded<"DeliveryEnded"> {
    return endedRecord(uetr, sent, outcome);
  }

  reportOf(uetr: string, outcome: "made" | "not-made", options: Partial<ReportOptions> = {}): Decoded<"StatusReportReceived"> {
    return reportRecord({ uetr, outcome, receivedAtMs: this.time.nowMs(), ...options });
  }

  /** A debit that is accepted, and whose report is acknowledged: HELD once the scheduler has read it. `rollsMax`: of its verdict. */
  async hold(uetr: string, receivedAtMs?: number, of?: string, rollsMax = 0): Promise<void> {
    const named = of === undefined ? {} : { bank: of };
    const debit = onUsDebitRecord({ uetr, receivedAtMs: receivedAtMs ?? this.time.nowMs(), closesAtMs: reconciliationAtMs, ...named });
    await this.append(topics.journal, uetr, debit);
    await this.append(topics.journal, uetr, verdictOn(debit, "ACCEPTED", rollsMax));
    await this.append(topics.journal, uetr, this.endedOf(uetr, "A"));
  }

  /** A debit from the connector that is accepted: HELD once the scheduler has read it. */
  async holdOffUs(uetr: string, of: string = bank): Promise<void> {
    const debit = offUsDebitRecord({ uetr, receivedAtMs: this.time.nowMs(), closesAtMs: reconciliationAtMs, bank: of });
    await this.append(topics.journal, uetr, debit);
    await this.append(topics.journal, uetr, this.verdictOf(debit));
  }

  creditOf(uetr: string, options: Partial<CreditOptions> = {}): Decoded<"CreditTransferReceived"> {
    const nowMs = this.time.nowMs();
    return creditRecord({ uetr, receivedAtMs: nowMs, deadlineMs: nowMs + creditDeadlineMs, ...options });
  }

  /** A credit that is accepted: on its way to its bank once the scheduler has read it. */
  async credit(uetr: string, options: Partial<CreditOptions> = {}): Promise<void> {
    const credit = this.creditOf(uetr, options);
    await this.append(topics.journal, uetr, credit);
    await this.append(topics.journal, uetr, this.verdictOf(credit));
  }

  /** The bank reports on a credit: it has ended. */
  async endCredit(uetr: string, of: string = bank): Promise<void> {
    await this.append(topics.journal, uetr, this.reportOf(uetr, "made", { about: "credit", bank: of }));
  }

  /** Credits are declared final, by the connector or by a bank for itself. */
  async declare(of: string | null = null): Promise<void> {
    await this.append(topics.journal, day, creditsFinalRecord(of, this.time.nowMs()));
  }

  /** Records of a topic as they lie there, decoded, over all partitions. */
  records(topic: string): readonly RecordOf<RecordName>[] {
    const partitions = Array.from({ length: this.lanes }, (_, partition) => this.log.records({ topic, partition }));
    return partitions.flat().map((record) => ({ ...record, decoded: this.serde.decode(record.value ?? new Uint8Array()) }));
  }

  named<N extends RecordName>(topic: string, name: N): readonly RecordOf<N>[] {
    const isNamed = (record: RecordOf<RecordName>): record is RecordOf<N> => record.decoded.name === name;
    return this.records(topic).filter(isNamed);
  }

  async document(uetr: string): Promise<TransactionDocument | null> {
    const found = await this.done(this.store.transactions.load([uetr]));
    return found.get(uetr) ?? null;
  }

  async states(uetr: string): Promise<readonly string[]> {
    const document = await this.document(uetr);
    return document?.transaction.transitions.map(({ state }) => state) ?? [];
  }

  /** States of a UETR for which events lie in their topic, in order, repeats by id removed. */
  events(uetr: string): readonly string[] {
    const events = this.named(topics.events, "TransactionStateEvent").filter(({ decoded }) => decoded.value.uetr === uetr);
    return [...new Map(events.map(({ decoded }) => [decoded.value.id, `${decoded.value.stageVersion} ${decoded.value.state}`])).values()];
  }
}

interface Life {
  isOver: boolean;
}

const never: Promise<never> = new Promise(() => {});

function mortalTime(time: Time, life: Life): Time {
  return {
    nowMs: () => time.nowMs(),
    monotonicMs: () => time.monotonicMs(),
    after: (delayMs, action) =>
      time.after(delayMs, () => {
        if (!life.isOver) action();
      }),
  };
}

/** The same store until the process is gone; then no call has an effect, and none is answered. */
function mortal<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(object, member) {
      const value: unknown = Reflect.get(object, member);
      if (typeof value === "object" && value !== null) return mortal(value, life);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (life.isOver) return never;
        const answer: unknown = Reflect.apply(value, object, given);
        return answer instanceof Promise ? answer.then((result: unknown) => (life.isOver ? never : result)) : answer;
      };
    },
  });
}
