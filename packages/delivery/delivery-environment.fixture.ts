// An environment for tests of ordered delivery: a memory broker, a store, scripted receivers, and service processes
// that can be stopped, killed between any two of their effects, and started again. All of it runs under a virtual clock
// and one seed.

import { createFixedSerde, outgoingRecord, topics, type AnyDecodedRecord, type Records } from "@sluice/contracts";
import type { Bank, Configuration, Connector } from "@sluice/config";
import type { ConfiguredService, ServicePorts } from "@sluice/process";
import { createMemoryBroker, type MemoryClient, type MemoryHooks } from "@sluice/messaging";
import { type Logger, type Metrics, silentMetrics, type Time } from "@sluice/kernel";
import { createMemoryStore, type MemoryStoreHooks, type ParkedRow, type Store } from "@sluice/store";
import { createVirtualTime, sampleConfiguration, sampleConnector, seededRandom } from "@sluice/testkit";
export { rowVersion } from "./backlog/row-version.ts";
import type { DeliveryBounds } from "./bounds.ts";
import { createKillable, type CrashPoint, type Killable } from "./killable.fixture.ts";
import type { EndpointCall, ReceiverAnswer, ReceiverGateway, ReceiverRequest } from "./port.ts";

export const deliveryStartMs = Date.UTC(2026, 10, 20, 8);
export const deliveryDay = "ZA_EFT:2026-11-20";
export const deliverySerde = createFixedSerde();

/** A status, or no answer until the request times out; `afterMs` delays the answer, by 5 ms where it is not given. */
export type ScriptedAnswer = number | "silent" | { readonly status: number; readonly retryAfter?: string; readonly afterMs?: number };

export interface ReceivedRequest {
  readonly atMs: number;
  /** The name of the process that sent it. */
  readonly process: string;
  readonly receiverId: string;
  readonly operation: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The number of the attempt on this id, from 1. */
  readonly attempt: number;
  /** Set when the answer is given. */
  status: number | null;
  /** When the exchange was over, answered or not; null while it is under way. */
  endedAtMs: number | null;
}

export interface DeliveryTestPorts extends ServicePorts {
  /** The name of the process. */
  readonly name: string;
  readonly store: Store;
  readonly gateway: ReceiverGateway;
  readonly bounds: Partial<DeliveryBounds>;
  readonly fail: (reason: unknown) => void;
}

export interface DeliveryTestProcess {
  readonly name: string;
  readonly running: ConfiguredService;
  readonly client: MemoryClient;
  /** The number of port calls made so far. */
  calls(): number;
  isAlive(): boolean;
  kill(): void;
  crashAfter: Killable["crashAfter"];
  freeze: Killable["freeze"];
  stop(): Promise<void>;
}

export interface DeliveryTestOptions {
  readonly start: (ports: DeliveryTestPorts) => Promise<ConfiguredService>;
  readonly seed?: number;
  readonly banks?: readonly Bank[];
  readonly connectors?: readonly Connector[];
  readonly partitionCount?: number;
  readonly bounds?: Partial<DeliveryBounds>;
  readonly metrics?: Metrics;
  readonly operatorSignatures?: Configuration["operatorSignatures"];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A record to append; its key decides the partition where none is given. */
export interface RecordToAppend {
  readonly key: string;
  readonly decoded: AnyDecodedRecord;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createDeliveryTestEnvironment(options: DeliveryTestOptions) {
  const { seed = 1, partitionCount = 1 } = options;
  const clock = createClock(seed);
  const { time, during } = clock;
  const random = seededRandom(seed);
  const hooks: { log: Mutable<MemoryHooks>; store: Mutable<MemoryStoreHooks> } = { log: {}, store: {} };
  const broker = createMemoryBroker({ time, random, topics: topicSizes(partitionCount), hooks: hooks.log });
  const store = createMemoryStore({ time, random, hooks: hooks.store });
  const logged: { level: keyof Logger; event: string; fields: object }[] = [];
  const failures: unknown[] = [];
  const banks = createBanks(time);
  const { operatorSignatures = null } = options;
  const configuration = sampleConfiguration({ connectors: [sampleConnector()], operatorSignatures, ...pickReceivers(options) });
  const shared = {
    random,
    logger: createRecordingLogger(logged),
    metrics: options.metrics ?? silentMetrics,
    serde: deliverySerde,
    configuration,
    partitionCount,
    fail: (reason: unknown): void => void failures.push(reason),
    bounds: options.bounds ?? {},
  };
  let processes = 0;

  async function start(crash: CrashPoint | null = null): Promise<DeliveryTestProcess> {
    processes += 1;
    const name = `p${processes}`;
    const client = broker.client(name);
    const killable = createKillable(time, crash, () => client.kill());
    const gateway = banks.createGateway(name);
    const starting = options.start({ ...shared, name, ...wrapPorts(killable, { messaging: client, store, gateway }) });
    const running = await clock.started(starting, () => !killable.isAlive());
    return { ...killable, name, running, client, stop: () => during(running.stop()) };
  }

  async function append(topic: string, given: readonly RecordToAppend[]) {
    const producer = await during(broker.client("test").producer("test"));
    const records = given.map(({ key, decoded, partition, headers = {} }) =>
      outgoingRecord(deliverySerde, topic, key, decoded, { partitionCount, headers, ...(partition === undefined ? {} : { partition }) }),
    );
    const appended = await during(producer.send(records));
    await during(producer.close());
    return appended;
  }

  async function parked(name: "deliveries" | "postings"): Promise<ParkedRow[]> {
    const found: ParkedRow[] = [];
    for (let partition = 0; partition < partitionCount; partition += 1)
      found.push(...(await during(store[name].listByPartition(partition, null, 10_000))));
    // Stopped messages stay for a while as a guard; no test counts them.
    return found.filter(({ ended }) => ended !== "stopped");
  }

  return {
    ...clock,
    ...banks,
    withReceivers: (others: Partial<Pick<Configuration, "banks" | "connectors">>): Configuration => ({ ...configuration, ...others }),
    broker,
    store,
    hooks,
    logged,
    failures,
    partitionCount,
    start,
    append,
    /** Appends a copy of a receiver's marker to each partition. */
    bankMarker: async (topic: string, name: BankMarkerName, number: number, receiverId: string, untilMs: number | null = null) =>
      append(topic, bankMarkers(partitionCount, name, { number, bank: receiverId, untilMs })),
    parked,
    /** All records of a type that were written to a topic. */
    records: <N extends keyof Records>(topic: string, name: N): Records[N][] => readRecords(broker, topic, partitionCount, name),
    renewCredentials: (receiverId: string): void => banks.renewCredentials(receiverId),
    attemptsOf: (id: string): ReceivedRequest[] => banks.received.filter((request) => request.id === id),
  };
}

function pickReceivers({ banks, connectors }: DeliveryTestOptions): Partial<Pick<Configuration, "banks" | "connectors">> {
  return { ...(banks === undefined ? {} : { banks }), ...(connectors === undefined ? {} : { connectors }) };
}

const stepsMax = 400_000;

function createClock(seed: number) {
  const time = createVirtualTime({ startAtMs: deliveryStartMs, seed });

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

  /** Resolves with the service, or with a dead stand-in if its process died before it came up. */
  async function started(starting: Promise<ConfiguredService>, isDead: () => boolean): Promise<ConfiguredService> {
    let running: ConfiguredService | null = null;
    void starting.then((up) => (running = up)).catch(() => undefined);
    await until(() => running !== null || isDead());
    return running ?? neverStarted;
  }

  return { time, until, during, started };
}

const neverStarted: ConfiguredService = {
  replaceConfiguration: () => {},
  readiness: () => ({ isReady: false, reasons: ["dead"] }),
  stop: () => new Promise(() => {}),
};

/** The scripted receivers: what they received, and how they answer. */
function createBanks(time: Time) {
  const received: ReceivedRequest[] = [];
  const attempts = new Map<string, number>();
  let reply: (request: ReceivedRequest) => ScriptedAnswer = () => 202;
  let replyToCheck: (call: EndpointCall) => ReceiverAnswer = () => ({ kind: "silent", reason: "timeout" });
  const renewed = new Set<(receiverId: string) => void>();
  const createGateway = (process: string): ReceiverGateway => ({
    onCredentialsReplaced: (listener) => void renewed.add(listener),
    async post(request) {
      const id = request.headers["webhook-id"] ?? "";
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      const seen = toReceived(request, process, attempt, time.nowMs());
      received.push(seen);
      return await answered(time, request, seen, reply(seen));
    },
    check: (call) => Promise.resolve(replyToCheck(call)),
    close: () => Promise.resolve(),
  });
  return {
    createGateway,
    received,
    /** Reports replaced credentials of the receiver to every process. */
    renewCredentials(receiverId: string): void {
      for (const listener of renewed) listener(receiverId);
    },
    /** Sets how receivers answer operators' checks from now on. */
    answersToChecks: (next: (call: EndpointCall) => ReceiverAnswer): void => void (replyToCheck = next),
    /** Sets how receivers answer from now on. */
    answers: (next: (request: ReceivedRequest) => ScriptedAnswer): void => void (reply = next),
  };
}

function wrapPorts(killable: Killable, { messaging, store, gateway }: Pick<DeliveryTestPorts, "messaging" | "store" | "gateway">) {
  return {
    time: killable.time,
    messaging: killable.wrap(messaging),
    gateway: killable.wrap(gateway),
    store: {
      ...store,
      deliveries: killable.wrap(store.deliveries),
      postings: killable.wrap(store.postings),
      partitions: killable.wrap(store.partitions),
      endpointHealth: killable.wrap(store.endpointHealth),
    },
  };
}

type BankMarkerName = "BankPaused" | "BankResumed";

/** `untilMs` belongs to a pause. */
function bankMarkers(
  partitionCount: number,
  name: BankMarkerName,
  { number, bank: receiverId, untilMs }: { readonly number: number; readonly bank: string; readonly untilMs: number | null },
): RecordToAppend[] {
  const key = `bank:${receiverId}`;
  return Array.from({ length: partitionCount }, (_, partition) => {
    const value = { id: `${key}:${name}:${number}:${partition}`, bank: receiverId, partition, number, reason: "maintenance" };
    const decoded: AnyDecodedRecord = name === "BankPaused" ? { name, value: { ...value, untilMs } } : { name, value };
    return { key, decoded, partition };
  });
}

function topicSizes(partitionCount: number): Record<string, number> {
  return Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : partitionCount]));
}

function toReceived(request: ReceiverRequest, process: string, attempt: number, atMs: number): ReceivedRequest {
  const { receiverId, operation, headers } = request;
  const [id, body] = [headers["webhook-id"] ?? "", new TextDecoder().decode(request.body)];
  return { atMs, process, receiverId, operation, id, body, headers, attempt, status: null, endedAtMs: null };
}

async function answered(time: Time, request: ReceiverRequest, seen: ReceivedRequest, reply: ScriptedAnswer): Promise<ReceiverAnswer> {
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

function readRecords<N extends keyof Records>(
  broker: ReturnType<typeof createMemoryBroker>,
  topic: string,
  partitions: number,
  name: N,
): Records[N][] {
  const found: Records[N][] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const { value } of broker.records({ topic, partition })) {
      const decoded = value === null || value.byteLength === 0 ? null : deliverySerde.decode(value);
      if (decoded !== null && decoded.name === name) found.push(requireValue(decoded, name));
    }
  }
  return found;
}

function requireValue<N extends keyof Records>(decoded: AnyDecodedRecord, name: N): Records[N] {
  const byName: Partial<Records> = { [decoded.name]: decoded.value };
  const value = byName[name];
  if (value === undefined) throw new Error(`not a ${name}`);
  return value;
}

function createRecordingLogger(logged: { level: keyof Logger; event: string; fields: object }[]): Logger {
  const add =
    (level: keyof Logger) =>
    (event: string, fields: object = {}): void =>
      void logged.push({ level, event, fields });
  return { debug: () => {}, info: add("info"), warn: add("warn"), error: add("error") };
}
