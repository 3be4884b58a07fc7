// A small world for tests of ordered delivery: a log, a store, banks that answer as told, and service processes that can be
// stopped, killed between any two of their effects, and started anew. All under a virtual clock and one seed.

import { fixedSerde, outgoingRecord, topics, type AnyDecoded, type Records } from "@sluice/contracts";
import type { Bank, Configuration } from "@sluice/config";
import { createMemoryLog, type MemoryClient, type MemoryHooks, type Messaging } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import { createMemoryStore, type MemoryStoreHooks, type ParkedMessage, type Store } from "@sluice/store";
import { silentMetrics, type Log, type Metrics } from "@sluice/telemetry";
import { createVirtualTime, sampleBank, sampleConfiguration, seededRandom } from "@sluice/testkit";
import type { DeliveryBounds } from "./bounds.ts";
import type { BankAnswer, BankGateway, BankRequest } from "./port.ts";

export const startAtMs = Date.UTC(2026, 10, 20, 8);
export const day = "ZA_EFT:2026-11-20";
export const serde = fixedSerde();

/** A status, or no answer until the request times out; `afterMs` late, 5 ms where not said. */
export type Reply = number | "silent" | { readonly status: number; readonly retryAfter?: string; readonly afterMs?: number };

export interface Received {
  readonly atMs: number;
  readonly bank: string;
  readonly operation: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of this id, from 1. */
  readonly attempt: number;
  /** Known when it was given. */
  status: number | null;
}

export interface Ports {
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
  readonly failed: (reason: unknown) => void;
}

export interface Process {
  readonly running: Running;
  readonly client: MemoryClient;
  /** Port calls made so far. */
  calls(): number;
  kill(): void;
  stop(): Promise<void>;
}

export interface CrashAt {
  /** Ends the process at this port call, counted from 1. */
  readonly call: number;
  readonly side: "before" | "after";
}

export interface WorldOptions {
  readonly start: (ports: Ports) => Promise<Running>;
  readonly seed?: number;
  readonly banks?: readonly Bank[];
  readonly lanes?: number;
  readonly bounds?: Partial<DeliveryBounds>;
  readonly logHooks?: MemoryHooks;
  readonly storeHooks?: MemoryStoreHooks;
}

export type World = ReturnType<typeof createWorld>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const stepsMax = 400_000;

export function createWorld(options: WorldOptions) {
  const { seed = 1, lanes = 1, banks = [sampleBank({ id: "first" })] } = options;
  const time = createVirtualTime({ startAtMs, seed });
  const random = seededRandom(seed);
  const hooks: { log: Mutable<MemoryHooks>; store: Mutable<MemoryStoreHooks> } = {
    log: options.logHooks ?? {},
    store: options.storeHooks ?? {},
  };
  const log = createMemoryLog({ time, random, topics: topicSizes(lanes), hooks: hooks.log });
  const store = createMemoryStore({ time, random, hooks: hooks.store });
  const logged: { event: string; fields: object }[] = [];
  const received: Received[] = [];
  const failures: unknown[] = [];
  const attempts = new Map<string, number>();
  let reply: (request: Received) => Reply = () => 202;
  let processes = 0;

  const gateway: BankGateway = {
    async post(request) {
      const attempt = (attempts.get(request.headers["webhook-id"] ?? "") ?? 0) + 1;
      attempts.set(request.headers["webhook-id"] ?? "", attempt);
      const seen = seenOf(request, attempt, time.nowMs());
      received.push(seen);
      return await answered(time, request, seen, reply(seen));
    },
    close: () => Promise.resolve(),
  };

  async function start(crash: CrashAt | null = null): Promise<Process> {
    processes += 1;
    const client = log.client(`p${processes}`);
    const killable = createKillable(time, crash, () => client.kill());
    const ports: Ports = {
      time: killable.time,
      random,
      log: recording(logged),
      metrics: silentMetrics,
      messaging: killable.through(client),
      store: {
        ...store,
        deliveries: killable.through(store.deliveries),
        postings: killable.through(store.postings),
        lanes: killable.through(store.lanes),
      },
      serde,
      configuration: sampleConfiguration({ banks }),
      gateway: killable.through(gateway),
      lanes,
      bounds: options.bounds ?? {},
      failed: (reason) => failures.push(reason),
    };
    const starting = options.start(ports);
    let isStarted = false;
    void starting.then(() => (isStarted = true)).catch(() => undefined);
    await time.run({ until: () => isStarted || !killable.isAlive(), stepsMax, untilMs: time.nowMs() + 60_000 });
    const running: Running = isStarted
      ? await starting
      : { readiness: () => ({ isReady: false, reasons: ["dead"] }), stop: () => new Promise(() => {}) };
    return { running, client, calls: killable.calls, kill: killable.kill, stop: () => during(running.stop()) };
  }

  /** Runs the clock until the promise settles. */
  async function during<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await until(() => isSettled);
    return await promise;
  }

  /** Runs the clock until the condition holds, at most `withinMs`. */
  async function until(condition: () => boolean, withinMs = 3_600_000): Promise<void> {
    const end = await time.run({ until: condition, stepsMax, untilMs: time.nowMs() + withinMs });
    if (end.because !== "until")
      throw new Error(`not reached: ${end.because} after ${end.steps} steps; ${JSON.stringify(failures.map(String))}`);
  }

  async function append(
    topic: string,
    records: readonly {
      readonly key: string;
      readonly decoded: AnyDecoded;
      readonly partition?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }[],
  ) {
    const producer = await during(log.producer("test"));
    const made = records.map(({ key, decoded, partition, headers = {} }) =>
      outgoingRecord(serde, topic, key, decoded, { lanes, headers, ...(partition === undefined ? {} : { partition }) }),
    );
    const appended = await during(producer.send(made));
    await during(producer.close());
    return appended;
  }

  return {
    time,
    log,
    store,
    hooks,
    received,
    logged,
    failures,
    lanes,
    start,
    during,
    until,
    append,
    /** How banks answer from now on. */
    answers: (next: (request: Received) => Reply) => void (reply = next),
    /** All of a type that was written to a topic. */
    records: <N extends keyof Records>(topic: string, name: N): Records[N][] =>
      recordsOf(log, topic, topic === topics.probe ? 1 : lanes, name),
    parked: async (name: "deliveries" | "postings"): Promise<ParkedMessage[]> => {
      const found: ParkedMessage[] = [];
      for (let lane = 0; lane < lanes; lane += 1) found.push(...(await during(store[name].ofLane(lane, null, 10_000))));
      return found;
    },
    attemptsOf: (id: string): Received[] => received.filter((request) => request.id === id),
  };
}

function topicSizes(lanes: number): Record<string, number> {
  return Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : lanes]));
}

function seenOf(request: BankRequest, attempt: number, atMs: number): Received {
  const { bank, operation, body, headers } = request;
  return { atMs, bank, operation, id: headers["webhook-id"] ?? "", body: new TextDecoder().decode(body), headers, attempt, status: null };
}

async function answered(time: Time, request: BankRequest, seen: Received, reply: Reply): Promise<BankAnswer> {
  const {
    status = null,
    retryAfter = null,
    afterMs = 5,
  } = typeof reply === "object" ? reply : { status: reply === "silent" ? null : reply };
  const isLate = status === null || afterMs >= request.timeoutMs;
  await new Promise<void>((resolve) => void time.after(isLate ? request.timeoutMs : afterMs, resolve));
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
      if (decoded?.name === name) found.push(decoded.value as Records[N]);
    }
  }
  return found;
}

function recording(logged: { event: string; fields: object }[]): Log {
  const add = (event: string, fields: object = {}): void => void logged.push({ event, fields });
  return { debug: () => {}, info: add, warn: add, error: add };
}

interface Killable {
  readonly time: Time;
  isAlive(): boolean;
  calls(): number;
  kill(): void;
  through<P extends object>(port: P): P;
}

/** Calls of a dead process are never answered, its timers do not fire. */
function createKillable(time: Time, crash: CrashAt | null, died: () => void): Killable {
  let isAlive = true;
  let calls = 0;
  const kill = (): void => {
    if (!isAlive) return;
    isAlive = false;
    died();
  };

  function called(call: () => unknown): unknown {
    if (!isAlive) return never;
    calls += 1;
    const isLast = calls === crash?.call;
    if (isLast && crash.side === "before") {
      kill();
      return never;
    }
    const answer = call();
    return answer instanceof Promise ? afterwards(answer, isLast) : answer;
  }

  async function afterwards(answer: Promise<unknown>, isLast: boolean): Promise<unknown> {
    try {
      const value = await answer;
      return isPort(value) ? through(value) : value;
    } finally {
      if (isLast) kill();
      // oxlint-disable-next-line no-unsafe-finally -- a dead process is never answered, neither well nor badly
      if (!isAlive) await never;
    }
  }

  function through<P extends object>(port: P): P {
    return new Proxy(port, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== "function") return value;
        // Asked for all the time, and without effect.
        if (member === "heartbeatAgeMs") return (): unknown => Reflect.apply(value, target, []);
        return (...given: unknown[]) => called(() => Reflect.apply(value, target, given));
      },
    });
  }

  return {
    time: {
      nowMs: () => time.nowMs(),
      monotonicMs: () => time.monotonicMs(),
      after: (delayMs, action) => time.after(delayMs, () => void (isAlive && action())),
    },
    isAlive: () => isAlive,
    calls: () => calls,
    kill,
    through,
  };
}

const never: Promise<never> = new Promise(() => {});

function isPort(value: unknown): value is object {
  return typeof value === "object" && value !== null && ("send" in value || "heartbeatAgeMs" in value);
}
