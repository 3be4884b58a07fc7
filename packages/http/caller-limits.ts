// What one caller may ask for: requests a second, and connections held open. What goes beyond is refused with 429 and costs little.
//
// 1. Requests: a bucket of one second's worth, filled steadily. A caller that keeps to its rate is never refused, one that saved up
//    sends at most twice its rate within any second.
// 2. Connections: each counts for its caller from the first request that it authenticates until it is closed; no further one is taken
//    beyond the limit. One that serves several callers counts for each.
// 3. What is held: one bucket and one set for each known caller, bounded by the limits themselves.
// 4. `replace` changes limits at once; what was used stays used.

import type { Connection } from "./listen.ts";

export interface CallerLimits {
  readonly id: string;
  readonly requestsPerSecond: number;
  readonly inboundConnections: number;
}

export interface CallerMeter {
  /** A request of a known caller: null, or after how many seconds it may try again. */
  request(caller: string): number | null;
  /** Whether the caller may use this connection; null stands for a call without one. */
  connection(caller: string, connection: Connection | null): boolean;
  replace(limits: readonly CallerLimits[]): void;
}

interface Account {
  limits: CallerLimits;
  tokens: number;
  filledAtMs: number;
  readonly connections: Set<Connection>;
}

/** `monotonicMs`: a clock that never goes back; only differences count. */
export function createCallerMeter(limits: readonly CallerLimits[], monotonicMs: () => number): CallerMeter {
  let accounts = new Map(limits.map((one) => [one.id, opened(one, monotonicMs())]));
  return {
    request(caller) {
      const account = accounts.get(caller);
      return account === undefined ? 1 : spend(account, monotonicMs());
    },
    connection(caller, connection) {
      const account = accounts.get(caller);
      if (account === undefined) return false;
      if (connection === null || account.connections.has(connection)) return true;
      if (account.connections.size >= account.limits.inboundConnections) return false;
      account.connections.add(connection);
      connection.onClose(() => account.connections.delete(connection));
      return true;
    },
    replace(next) {
      accounts = new Map(next.map((one) => [one.id, changed(accounts.get(one.id), one, monotonicMs())]));
    },
  };
}

function opened(limits: CallerLimits, nowMs: number): Account {
  return { limits, tokens: limits.requestsPerSecond, filledAtMs: nowMs, connections: new Set() };
}

function changed(account: Account | undefined, limits: CallerLimits, nowMs: number): Account {
  if (account === undefined) return opened(limits, nowMs);
  fill(account, nowMs);
  account.limits = limits;
  account.tokens = Math.min(account.tokens, limits.requestsPerSecond);
  return account;
}

function spend(account: Account, nowMs: number): number | null {
  fill(account, nowMs);
  if (account.tokens < 1) return Math.ceil((1 - account.tokens) / account.limits.requestsPerSecond);
  account.tokens -= 1;
  return null;
}

function fill(account: Account, nowMs: number): void {
  const { requestsPerSecond } = account.limits;
  const gained = ((nowMs - account.filledAtMs) / 1_000) * requestsPerSecond;
  account.tokens = Math.min(requestsPerSecond, account.tokens + gained);
  account.filledAtMs = nowMs;
}
