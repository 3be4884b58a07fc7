// The store in memory: the same documents and promises, answering through `time.after` with seeded latency, so that it runs
// under a virtual clock. What a client sees of trouble comes from `hooks`.
//
// 1. A call takes effect at one instant between its start and its answer, and both are drawn from `random`.
// 2. Every call is told to `observe` before anything happens, with all that it carries; the same seed tells the same calls.
// 3. State belongs to the store, not to a client: `close` forgets nothing, as a database does not when a process ends.

import { Fault } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import type { Day } from "@sluice/domain";
import { assertBulk, assertPage, openDaysMax } from "./bounds.ts";
import { fromStoredDay, toStoredDay } from "./day-document.ts";
import type { StoredDay } from "./day-document.ts";
import { fromStoredLane, laneId, newLane } from "./lane-document.ts";
import type { StoredLane } from "./lane-document.ts";
import { fromStoredParked, toAttemptState, toStoredParked } from "./parked-document.ts";
import type { StoredParked } from "./parked-document.ts";
import type { DayStore, LaneStore, ParkedStore, Store, TransactionStore } from "./port.ts";
import { dayParts, fromStored, itemsOf, toRow, toStored } from "./transaction-document.ts";
import type { StoredTransaction } from "./transaction-document.ts";

/** One call of the port, as the trace of a simulation needs it. */
export interface StoreCall {
  readonly atMs: number;
  /** `transactions.write`, `lanes.takeOver`, … */
  readonly operation: string;
  /** Keys of the documents meant, joined by commas. */
  readonly key: string;
  /** Everything the call carries, as text: the same content gives the same text. */
  payload(): string;
  readonly isWrite: boolean;
}

/**
 * What happens to a call: `down`: rejected, without effect. `slow`: answered after `slowMs`. `ambiguous`: written, then
 * rejected. `torn`: a part of the bulk is written, then rejected. The last two are `down` for a call that writes nothing.
 */
export type StoreFault = "none" | "down" | "slow" | "ambiguous" | "torn";

export interface MemoryStoreHooks {
  readonly fault?: (call: StoreCall) => StoreFault;
  readonly observe?: (call: StoreCall) => void;
  /** Bounds of each half of a call's time, whole milliseconds; 1 to 4 if absent. */
  readonly latencyMs?: readonly [number, number];
  /** Time of a slow call, milliseconds; 2,000 if absent. */
  readonly slowMs?: number;
}

export interface MemoryStoreOptions {
  readonly time: Time;
  readonly random: Random;
  readonly hooks?: MemoryStoreHooks;
}

/** Does one call: `effect` gets the number of documents of the bulk that it may touch. */
type Call = <T>(operation: string, keys: readonly string[], payload: unknown, effect: (documentsMax: number) => T) => Promise<T>;

const reads = new Set(["load", "held", "items", "open", "list", "ofLane", "ping"]);

export function createMemoryStore(options: MemoryStoreOptions): Store {
  const call = calls(options);
  return {
    transactions: transactionsIn(call, new Map()),
    days: daysIn(call, new Map()),
    lanes: lanesIn(call, new Map()),
    deliveries: parkedIn("deliveries", call, new Map()),
    postings: parkedIn("postings", call, new Map()),
    prepare: () => call("store.prepare", [], null, () => undefined),
    ping: () => call("store.ping", [], null, () => undefined),
    close: () => Promise.resolve(),
  };
}

function calls({ time, random, hooks = {} }: MemoryStoreOptions): Call {
  const [leastMs, mostMs] = hooks.latencyMs ?? [1, 4];
  const latencyMs = (): number => leastMs + Math.floor(random.fraction() * (mostMs - leastMs + 1));
  return (operation, keys, payload, effect) => {
    const isWrite = !reads.has(operation.slice(operation.indexOf(".") + 1));
    const call: StoreCall = { atMs: time.nowMs(), operation, key: keys.join(","), payload: () => asText(payload), isWrite };
    hooks.observe?.(call);
    const wanted = hooks.fault?.(call) ?? "none";
    const fault = !isWrite && (wanted === "ambiguous" || wanted === "torn") ? "down" : wanted;
    const untilEffectMs = fault === "slow" ? (hooks.slowMs ?? 2_000) : latencyMs();
    const untilAnswerMs = latencyMs();
    const documentsMax = fault === "torn" ? Math.floor(random.fraction() * (keys.length + 1)) : Infinity;
    return new Promise((resolve, reject) => {
      time.after(untilEffectMs, () => {
        const answer = fault === "down" ? undefined : attempt(() => effect(documentsMax));
        time.after(untilAnswerMs, () => {
          if (answer === undefined) reject(new Fault("store.unavailable", `${operation}: no store answers`, { isRetryable: true }));
          else if (fault === "none" || fault === "slow") settle(answer, resolve, reject);
          else reject(new Fault("store.unknown-outcome", `${operation}: no answer to a write`, { isRetryable: true }));
        });
      });
    });
  };
}

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function attempt<T>(effect: () => T): Answer<T> {
  try {
    return { ok: true, value: effect() };
  } catch (error) {
    return { ok: false, error };
  }
}

function settle<T>(answer: Answer<T>, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  if (answer.ok) resolve(answer.value);
  else reject(answer.error);
}

function asText(payload: unknown): string {
  return JSON.stringify(payload, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
    return value;
  });
}

function transactionsIn(call: Call, kept: Map<string, StoredTransaction>): TransactionStore {
  const all = (): StoredTransaction[] => [...kept.values()].sort((a, b) => order(a._id, b._id));
  return {
    async load(uetrs) {
      assertBulk(uetrs.length);
      return call("transactions.load", uetrs, null, () => pick(kept, uetrs, fromStored));
    },
    async write(writes) {
      assertBulk(writes.length);
      const sorted = writes
        .map(({ document, expectedVersion }) => ({ stored: toStored(document), expectedVersion }))
        .sort((a, b) => order(a.stored._id, b.stored._id));
      const keys = sorted.map(({ stored }) => stored._id);
      return call("transactions.write", keys, sorted, (documentsMax) => {
        const conflicts: string[] = [];
        for (const { stored, expectedVersion } of sorted.slice(0, documentsMax)) {
          if ((kept.get(stored._id)?.version ?? 0) === expectedVersion) kept.set(stored._id, stored);
          else conflicts.push(stored._id);
        }
        return { conflicts };
      });
    },
    async open(lane, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.open", [`${lane}`], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && stored.isOpen && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(toRow),
      );
    },
    async held(lane, bank, day, afterQueueKey, limit) {
      assertPage(limit);
      const { scheme, businessDate } = dayParts(day);
      return call("transactions.held", [`${lane}`, bank, day], [afterQueueKey, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && stored.state === "HELD" && stored.bank === bank)
          .filter((stored) => stored.scheme === scheme && stored.businessDate === businessDate)
          .filter((stored) => afterQueueKey === null || stored.queueKey > afterQueueKey)
          .sort((a, b) => order(a.queueKey, b.queueKey))
          .slice(0, limit)
          .map(toRow),
      );
    },
    async identified(sender, messageIdentification, limit) {
      assertPage(limit);
      return call("transactions.identified", [sender, messageIdentification], [limit], () =>
        all()
          .filter(({ message }) => message?.sender === sender && message.messageIdentification === messageIdentification)
          .slice(0, limit)
          .map(({ _id }) => _id),
      );
    },
    async items(day, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.items", [day], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.items.some((item) => item.day === day) && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .flatMap((stored) => itemsOf(stored, day)),
      );
    },
  };
}

function daysIn(call: Call, kept: Map<string, StoredDay>): DayStore {
  return {
    async load(keys) {
      assertBulk(keys.length);
      return call("days.load", keys, null, () => pick(kept, keys, fromStoredDay));
    },
    async write(day, expectedVersion) {
      const stored = toStoredDay(day);
      return call("days.write", [day.key], [stored, expectedVersion], () => {
        if ((kept.get(day.key)?.version ?? 0) !== expectedVersion) return false;
        kept.set(day.key, stored);
        return true;
      });
    },
    open: () =>
      call("days.open", [], null, () =>
        [...kept.values()]
          .filter((stored) => !stored.isReconciled)
          .sort((a, b) => order(a._id, b._id))
          .slice(0, openDaysMax)
          .map((stored): Day => fromStoredDay(stored)),
      ),
  };
}

function lanesIn(call: Call, kept: Map<string, StoredLane>): LaneStore {
  return {
    async takeOver(service, partition) {
      const id = laneId(service, partition);
      return call("lanes.takeOver", [id], null, () => {
        const found = kept.get(id);
        const taken = found === undefined ? newLane(service, partition) : { ...found, epoch: found.epoch + 1 };
        kept.set(id, taken);
        return fromStoredLane(taken);
      });
    },
    async write(service, partition, epoch, position, state) {
      const id = laneId(service, partition);
      const text = state === undefined ? undefined : JSON.stringify(state);
      return call("lanes.write", [id], [epoch, position, text], () => {
        const found = kept.get(id);
        if (found?.epoch !== epoch) return false;
        kept.set(id, { ...found, position, state: text ?? found.state });
        return true;
      });
    },
    list: (service) =>
      call("lanes.list", [service], null, () =>
        [...kept.values()]
          .filter((stored) => stored.service === service)
          .sort((a, b) => a.partition - b.partition)
          .map(fromStoredLane),
      ),
  };
}

function parkedIn(name: "deliveries" | "postings", call: Call, kept: Map<string, StoredParked>): ParkedStore {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      const sorted = messages.map(toStoredParked).sort((a, b) => order(a._id, b._id));
      const keys = sorted.map((stored) => stored._id);
      return call(`${name}.insert`, keys, sorted, (documentsMax) => {
        for (const stored of sorted.slice(0, documentsMax)) if (!kept.has(stored._id)) kept.set(stored._id, stored);
      });
    },
    async update(message) {
      const attemptState = toAttemptState(message);
      return call(`${name}.update`, [message.id], attemptState, () => {
        const found = kept.get(message.id);
        if (found !== undefined) kept.set(message.id, { ...found, ...attemptState });
      });
    },
    async remove(ids) {
      assertBulk(ids.length);
      return call(`${name}.remove`, ids, null, (documentsMax) => {
        for (const id of ids.slice(0, documentsMax)) kept.delete(id);
      });
    },
    async ofLane(lane, after, limit) {
      assertPage(limit);
      return call(`${name}.ofLane`, [`${lane}`], [after, limit], () =>
        [...kept.values()]
          .filter(
            (stored) => stored.lane === lane && (after === null || bySequence(stored, { sequence: after.sequence, _id: after.id }) > 0),
          )
          .sort(bySequence)
          .slice(0, limit)
          .map(fromStoredParked),
      );
    },
    async load(ids) {
      assertBulk(ids.length);
      return call(`${name}.load`, ids, null, () => pick(kept, ids, fromStoredParked));
    },
  };
}

function pick<S, T>(kept: ReadonlyMap<string, S>, keys: readonly string[], read: (stored: S) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const key of keys) {
    const stored = kept.get(key);
    if (stored !== undefined) found.set(key, read(stored));
  }
  return found;
}

function bySequence(a: Pick<StoredParked, "sequence" | "_id">, b: Pick<StoredParked, "sequence" | "_id">): number {
  if (a.sequence !== b.sequence) return a.sequence < b.sequence ? -1 : 1;
  return order(a._id, b._id);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
