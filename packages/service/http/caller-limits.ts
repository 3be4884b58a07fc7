// Limits each caller's requests per second and open connections. Requests beyond a limit are refused with 429 at little
// cost.
//
// #1 Requests: a bucket of one second's worth, filled steadily. A caller that keeps to its rate is never refused; one
//    that has saved up sends at most twice its rate within any second.
// #2 Connections: each counts for its caller from its first authenticated request until it is closed. Beyond the limit
//    no further one is accepted. A counted connection keeps its place (`connection-places.ts`). A connection that
//    serves several callers counts for each of them.
// #3 Memory: one bucket and one set for each known caller, bounded by the limits themselves.
// #4 `replace` changes limits at once; requests and connections already counted stay counted.

import type { ClientConnection } from "./track-connections.ts";

export interface CallerLimits {
  readonly id: string;
  readonly requestsPerSecond: number;
  readonly inboundConnections: number;
}

export interface CallerMeter {
  /**
   * Counts a request of a known caller. Null if it is accepted, otherwise the seconds after which the caller may try
   * again.
   */
  takeRequest(caller: string): number | null;
  /** Tells whether the caller may use this connection; null means a call without a connection. */
  takeConnection(caller: string, takeConnection: ClientConnection | null): boolean;
  replace(limits: readonly CallerLimits[]): void;
}

interface Account {
  limits: CallerLimits;
  tokens: number;
  filledAtMs: number;
  readonly connections: Set<ClientConnection>;
}

/** `monotonicMs` is a clock that never goes back; only differences count. */
export function createCallerMeter(limits: readonly CallerLimits[], monotonicMs: () => number): CallerMeter {
  let accounts = new Map(limits.map((one) => [one.id, openAccount(one, monotonicMs())]));
  return {
    takeRequest(caller) {
      const account = accounts.get(caller);
      return account === undefined ? 1 : spend(account, monotonicMs());
    },
    takeConnection(caller, connection) {
      const account = accounts.get(caller);
      if (account === undefined) return false;
      if (connection === null || account.connections.has(connection)) return true;
      if (account.connections.size >= account.limits.inboundConnections) return false;
      account.connections.add(connection);
      connection.authenticated(caller);
      connection.onClose(() => account.connections.delete(connection));
      return true;
    },
    replace(next) {
      accounts = new Map(next.map((one) => [one.id, changeAccount(accounts.get(one.id), one, monotonicMs())]));
    },
  };
}

function openAccount(limits: CallerLimits, nowMs: number): Account {
  return { limits, tokens: limits.requestsPerSecond, filledAtMs: nowMs, connections: new Set() };
}

function changeAccount(account: Account | undefined, limits: CallerLimits, nowMs: number): Account {
  if (account === undefined) return openAccount(limits, nowMs);
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
