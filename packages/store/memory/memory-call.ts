// One call of the memory store: it is observed, gets its fault, takes effect at one instant, and is answered at a later
// one.

import { Fault, type Random, type Time } from "@sluice/kernel";

/** One call of the port, with what the trace of a simulation needs. */
export interface StoreCall {
  readonly atMs: number;
  /** The name of the operation, for example `transactions.write`. */
  readonly operation: string;
  /** Keys of the documents, joined by commas. */
  readonly key: string;
  /** Everything that the call carries, as text: the same content gives the same text. */
  payload(): string;
  readonly isWrite: boolean;
}

/**
 * What happens to a call.
 * `down`: rejected without effect. `slow`: answered after `slowMs`. `ambiguous`: written, then rejected. `torn`: a part
 * of the bulk is written, then the call is rejected. These two act as `down` for a call that writes nothing. `late`:
 * rejected, and written `lateMs` later, behind newer writes; a call that writes nothing is not concerned.
 */
export type StoreFault = "none" | "down" | "slow" | "ambiguous" | "torn" | "late";

export interface MemoryStoreHooks {
  readonly fault?: (call: StoreCall) => StoreFault;
  readonly observe?: (call: StoreCall) => void;
  /** Bounds of each half of a call's time, in whole milliseconds; 1 to 4 by default. */
  readonly latencyMs?: readonly [number, number];
  /** Milliseconds that a slow call takes; 2,000 by default. */
  readonly slowMs?: number;
  /** Milliseconds until a late write takes effect; 20,000 by default. */
  readonly lateMs?: number;
}

export interface MemoryStoreOptions {
  readonly time: Time;
  readonly random: Random;
  readonly hooks?: MemoryStoreHooks;
}

/** Performs one call. `effect` gets the number of documents of the bulk that it may touch. */
export type MemoryCall = <T>(
  operation: string,
  keys: readonly string[],
  payload: unknown,
  effect: (documentsMax: number) => T,
) => Promise<T>;

const reads = new Set([
  "load",
  "held",
  "items",
  "open",
  "list",
  "listByPartition",
  "ping",
  "identified",
  "search",
  "newest",
  "totals",
  "all",
  "listByReceiver",
  "accounted",
  "quarantined",
  "listByDay",
  "positions",
  "versions",
]);

/** `restores` counts how often the store went back: a call that began before has no effect then. */
export function createMemoryCall({ time, random, hooks = {} }: MemoryStoreOptions, restores: () => number): MemoryCall {
  const [leastMs, mostMs] = hooks.latencyMs ?? [1, 4];
  const latencyMs = (): number => leastMs + Math.floor(random.fraction() * (mostMs - leastMs + 1));
  return (operation, keys, payload, effect) => {
    const isWrite = !reads.has(operation.slice(operation.indexOf(".") + 1));
    const call: StoreCall = { atMs: time.nowMs(), operation, key: keys.join(","), payload: () => asText(payload), isWrite };
    hooks.observe?.(call);
    const wanted = hooks.fault?.(call) ?? "none";
    const fault = isWrite ? wanted : faultOfRead(wanted);
    const untilEffectMs = fault === "slow" ? (hooks.slowMs ?? 2_000) : latencyMs();
    const untilAnswerMs = latencyMs();
    const documentsMax = fault === "torn" ? Math.floor(random.fraction() * (keys.length + 1)) : Infinity;
    const begunAfter = restores();
    const isCutOff = (): boolean => restores() !== begunAfter;
    const noAnswer = (): Fault => new Fault("store.unknown-outcome", `${operation}: no answer to a write`, { isRetryable: true });
    if (fault === "late") {
      time.after(hooks.lateMs ?? 20_000, () => void (isCutOff() ? null : attempt(() => effect(documentsMax))));
      return new Promise((_, reject) => void time.after(untilEffectMs + untilAnswerMs, () => reject(noAnswer())));
    }
    return new Promise((resolve, reject) => {
      time.after(untilEffectMs, () => {
        const answer = fault === "down" || isCutOff() ? undefined : attempt(() => effect(documentsMax));
        time.after(untilAnswerMs, () => {
          if (answer === undefined) reject(new Fault("store.unavailable", `${operation}: no store answers`, { isRetryable: true }));
          else if (fault === "none" || fault === "slow") settle(answer, resolve, reject);
          else reject(noAnswer());
        });
      });
    });
  };
}

function faultOfRead(wanted: StoreFault): StoreFault {
  if (wanted === "late") return "none";
  return wanted === "ambiguous" || wanted === "torn" ? "down" : wanted;
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

/** Returns the kept documents of `keys`, in the order of `keys`. */
export function pickKept<S, T>(kept: ReadonlyMap<string, S>, keys: readonly string[], read: (stored: S) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const key of keys) {
    const stored = kept.get(key);
    if (stored !== undefined) found.set(key, read(stored));
  }
  return found;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
