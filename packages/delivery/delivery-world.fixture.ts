// A small world for tests of ordered delivery: a log, a store, banks that answer as told, and service processes that can be
// stopped, killed between any two of their effects, and started anew. All under a virtual clock and one seed.

import { fixedSerde, outgoingRecord, topics, type AnyDecoded, type Records } from "@sluice/contracts";
import type { Bank, Configuration, Connector } from "@sluice/config";
import { createMemoryLog, type MemoryClient, type MemoryHooks, type Messaging } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import { createMemoryStore, type MemoryStoreHooks, type ParkedRow, type Store } from "@sluice/store";
import { silentMetrics, type Log, type Metrics } from "@sluice/telemetry";
import { createVirtualTime, sampleBank, sampleConfiguration, sampleConnector, seededRandom } from "@sluice/testkit";
import type { DeliveryBounds } from "./bounds.ts";
import { createKillable, type CrashAt, type Killable } from "./killable.fixture.ts";
import type { BankAnswer, BankGateway, BankRequest } from "./port.ts";

export const startAtMs = Date.UTC(2026, 10, 20, 8);
export const day = "ZA_EFT:2026-11-20";
export const serde = fixedSerde();

/** A status, or no answer until the request times out; `afterMs` late, 5 ms where not said. */
export type Reply = number | "silent" | { readonly status: number; readonly retryAfter?: string; readonly afterMs?: number };

export interface Received {
  readonly atMs: number;
  /** Of the process that sent it. */
  readonly process: string;
  readonly bank: string;
  readonly operation: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of this id, from 1. */
  readonly attempt: number;
  /** Known when it was given. */
  status: number | null;
  /** When the exchange was over, answered or not; null while it is under way. */
  endedAtMs: number | null;
}

export interface Ports {
  /** Of the process. */
  readonly name: string;
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Store;
  readonly serde: typeof serde;
  readonly configuration: Configuration;
  readonly gateway: BankGateway;
  readonly lanes: number;
  readonly bounds: Partial<DeliveryBounds>;
  readonly fail: (reason: unknown) => void;
}

export interface Process {
  readonly name: string;
  readonly running: Running;
  readonly client: MemoryClient;
  /** Port calls made so far. */
  calls(): number;
  isAlive(): boolean;
  kill(): void;
  crashAfter: Killable["crashAfter"];
  freeze: Killable["freeze"];
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly start: (ports: Ports) => Promise<Running>;
  readonly seed?: number;
  readonly banks?: readonly Bank[];
  readonly connectors?: readonly Connector[];
  readonly lanes?: number;
  readonly bounds?: Partial<DeliveryBounds>;
  readonly metrics?: Metrics;
}

export type World = ReturnType<typeof createWorld>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A record to append; its partition follows from its key where none is given. */
export interface Given {
  readonly key: string;
  readonly decoded: AnyDecoded;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createWorld(options: WorldOptions) {
  const { seed = 1, lanes = 1 } = options;
  const clock = createClock(seed);
  const { time, during } = clock;
  const random = seededRandom(seed);
  const hooks: { log: Mutable<MemoryHooks>; store: Mutable<MemoryStoreHooks> } = { log: {}, store: {} };
  const log = createMemoryLog({ time, random, topics: topicSizes(lanes), hooks: hooks.log });
  const store = createMemoryStore({ time, random, hooks: hooks.store });
  const logged: { level: keyof Log; event: string; fields: object }[] = [];
  const failures: unknown[] = [];
  const banks = createBanks(time);
  const configuration = sampleConfiguration({
    banks: options.banks ?? [sampleBank({ id: "first" })],
    connectors: options.connectors ?? [sampleConnector()],
  });
  const fail = (reason: unknown): void => void failures.push(reason);
  const shared = {
    random,
    log: recording(logged),
    metrics: options.metrics ?? silentMetrics,
    serde,
    configuration,
    lanes,
    fail,
    bounds: options.bounds ?? {},
  };
  let processes = 0;

  async function start(crash: CrashAt | null = null): Promise<Process> {
    processes += 1;
    const name = `p${processes}`;
    const client = log.client(name);
    const killable = createKillable(time, crash, () => client.kill());
    const gateway = banks.gatewayOf(name);
    const starting = options.start({ ...shared, name, ...portsOf(killable, { messaging: client, store, gateway }) });
    const running = await clock.started(starting, () => !killable.isAlive());
    return { ...killable, name, running, client, stop: () => during(running.stop()) };
  }

  async function append(topic: string, given: readonly Given[]) {
    const producer = await during(log.client("test").producer("test"));
    const records = given.map(({ key, decoded, partition, headers = {} }) =>
      outgoingRecord(serde, topic, key, decoded, { lanes, headers, ...(partition === undefined ? {} : { partition }) }),
    );
    const appended = await during(producer.send(records));
    await during(producer.close());
    return appended;
  }

  async function parked(name: "deliveries" | "postings"): Promise<ParkedRow[]> {
    const found: ParkedRow[] = [];
    for (let lane = 0; lane < lanes; lane += 1) found.push(...(await during(store[name].ofLane(lane, null, 10_000))));
    // What was stopped stays for a while, and concerns nobody.
    return found.filter(({ ended }) => ended !== "stopped");
  }

  return {
    ...clock,
    ...banks,
    log,
    store,
    hooks,
    logged,
    failures,
    lanes,
    start,
    append,
    /** A copy of a bank's marker to each lane. */
    bankMarker: async (topic: string, name: BankMarkerName, number: number, bank: string, untilMs: number | null = null) =>
      append(topic, bankMarkers(lanes, name, { number, bank, untilMs })),
    parked,
    /** All of a type that was written to a topic. */
    records: <N extends keyof Records>(topic: string, name: N): Records[N][] => recordsOf(log, topic, lanes, name),
    renewCredentials: (bank: string): void => banks.renewCredentials(bank),
    attemptsOf: (id: string): Received[] => banks.received.filter((request) => request.id === id),
  };
}

const stepsMax = 400_000;

function createClock(seed: number) {
  const time = createVirtualTime({ startAtMs, seed });

  /** Runs the clock until the condition holds, at most `withinMs`. */
  async function until(condition: () => boolean, withinMs = 3_600_000): Promise<void> {
    const end = await time.run({ until: condition, stepsMax, untilMs: time.nowMs() + withinMs });
    if (end.because !== "until") throw new Error(`not reached: ${end.because} after ${end.steps} steps`);
  }

  /** Runs the clock until the promise settles. */
  async function during<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await until(() => isSettled);
    return await promise;
  }

  /** The service, or one that never came up because its process died first. */
  async function started(starting: Promise<Running>, isDead: () => boolean): Promise<Running> {
    let running: Running | null = null;
    void starting.then((up) => (running = up)).catch(() => undefined);
    await until(() => running !== null || isDead());
    return running ?? neverStarted;
  }

  return { time, until, during, started };
}

const neverStarted: Running = { readiness: () => ({ isReady: false, reasons: ["dead"] }), stop: () => new Promise(() => {}) };

/** All banks: what they received, and how they answer. */
function createBanks(time: Time) {
  const received: Received[] = [];
  const attempts = new Map<string, number>();
  let reply: (request: Received) => Reply = () => 202;
  const renewed = new Set<(bank: string) => void>();
  const gatewayOf = (process: string): BankGateway => ({
    onRenewed: (listener) => void renewed.add(listener),
    async post(request) {
      const id = request.headers["webhook-id"] ?? "";
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      const seen = seenOf(request, process, attempt, time.nowMs());
      received.push(seen);
      return await answered(time, request, seen, reply(seen));
    },
    close: () => Promise.resolve(),
  });
  return {
    gatewayOf,
    received,
    /** What proves who we are to the bank was replaced, as every process sees at once. */
    renewCredentials(bank: string): void {
      for (const listener of renewed) listener(bank);
    },
    /** How banks answer from now on. */
    answers: (next: (request: Received) => Reply): void => void (reply = next),
  };
}

function portsOf(killable: Killable, { messaging, store, gateway }: Pick<Ports, "messaging" | "store" | "gateway">) {
  return {
    time: killable.time,
    messaging: killable.through(messaging),
    gateway: killable.through(gateway),
    store: {
      ...store,
      deliveries: killable.through(store.deliveries),
      postings: killable.through(store.postings),
      lanes: killable.through(store.lanes),
      addresses: killable.through(store.addresses),
    },
  };
}

type BankMarkerName = "BankPaused" | "BankResumed";

/** `untilMs`: of a pause. */
function bankMarkers(
  lanes: number,
  name: BankMarkerName,
  { number, bank, untilMs }: { readonly number: number; readonly bank: string; readonly untilMs: number | null },
): Given[] {
  const key = `bank:${bank}`;
  return Array.from({ length: lanes }, (_, partition) => {
    const value = { id: `${key}:${name}:${number}:${partition}`, bank, partition, number, reason: "maintenance" };
    const decoded: AnyDecoded = name === "BankPaused" ? { name, value: { ...value, untilMs } } : { name, value };
    return { key, decoded, partition };
  });
}

function topicSizes(lanes: number): Record<string, number> {
  return Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : lanes]));
}

function seenOf(request: BankRequest, process: string, attempt: number, atMs: number): Received {
  const { bank, operation, headers } = request;
  const [id, body] = [headers["webhook-id"] ?? "", new TextDecoder().decode(request.body)];
  return { atMs, process, bank, operation, id, body, headers, attempt, status: null, endedAtMs: null };
}

async function answered(time: Time, request: BankRequest, seen: Received, reply: Reply): Promise<BankAnswer> {
  const {
    status = null,
    retryAfter = null,
    afterMs = 5,
  } = typeof reply === "object" ? reply : { status: reply === "silent" ? null : reply };
  const isLate = status === null || afterMs >= request.timeoutMs;
  await new Promise<void>((resolve) => void time.after(isLate ? request.timeoutMs : afterMs, resolve));
  seen.endedAtMs = time.nowMs();
  if (isLate) return { kind: "silent", reason: "timeout" };
  seen.status = status;
  return { kind: "answered", status, retryAfter, body: new Uint8Array() };
}

function recordsOf<N extends keyof Records>(
  log: ReturnType<typeof createMemoryLog>,
  topic: string,
  partitions: number,
  name: N,
): Records[N][] {
  const found: Records[N][] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const { value } of log.records({ topic, partition })) {
      const decoded = value === null || value.byteLength === 0 ? null : serde.decode(value);
      if (decoded !== null && decoded.name === name) found.push(valueOf(decoded, name));
    }
  }
  return found;
}

function valueOf<N extends keyof Records>(decoded: AnyDecoded, name: N): Records[N] {
  const byName: Partial<Records> = { [decoded.name]: decoded.value };
  const value = byName[name];
  if (value === undefined) throw new Error(`not a ${name}`);
  return value;
}

function recording(logged: { level: keyof Log; event: string; fields: object }[]): Log {
  const add =
    (level: keyof Log) =>
    (event: string, fields: object = {}): void =>
      void logged.push({ level, event, fields });
  return { debug: () => {}, info: add("info"), warn: add("warn"), error: add("error") };
}
