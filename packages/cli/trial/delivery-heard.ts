// What the banks heard in a trial of deliveries, for its judge, and the figures of each bank: bodies are not kept, their digests are.

import { createHash } from "node:crypto";
import type { Time } from "@sluice/runtime";
import type { HeardAttempt, SentMessage } from "./delivery-judge.ts";
import type { DeliveryService, PhaseName } from "./delivery-plan.ts";

/** What is the same on every attempt of a message. */
export interface SameOnEveryAttempt {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly operation: string;
  readonly body: Uint8Array;
  /** Of an event its stageVersion, and the id of the one before; empty: the header is not there. */
  readonly sequence: string;
  readonly previousId: string;
}

export interface BankFigures {
  readonly bank: string;
  readonly messages: number;
  /** Messages that reached it at all. */
  readonly first: number;
  readonly repeats: number;
  readonly unacknowledged: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Appended and not acknowledged, at most. */
  readonly longestQueue: number;
}

export interface HeardDeliveries {
  /** `plannedAtMs`: monotonic; from then on it waits for its delivery. */
  appending(sent: SentMessage, phase: PhaseName, plannedAtMs: number): void;
  /** Answers what is to be called when the bank acknowledges it. */
  arrived(bank: string, message: SameOnEveryAttempt): () => void;
  sent(): readonly SentMessage[];
  appended(): number;
  attempts(): readonly HeardAttempt[];
  /** Appended and not acknowledged, of one bank or of all. */
  waiting(bank?: string): number;
  acknowledgedOf(service: DeliveryService): number;
  figures(): readonly BankFigures[];
  /** Of first deliveries, sorted, milliseconds. */
  latenciesMs(phase: PhaseName, banks: ReadonlySet<string>): readonly number[];
}

interface Way {
  readonly sent: SentMessage;
  readonly phase: PhaseName;
  readonly plannedAtMs: number;
  isHeard: boolean;
  acknowledgedAtMs: number | null;
}

interface BankCounts {
  messages: number;
  first: number;
  arrivals: number;
  acknowledged: number;
  waiting: number;
  longestQueue: number;
}

export function createHeardDeliveries(time: Time): HeardDeliveries {
  const ways = new Map<string, Way>();
  const counts = new Map<string, BankCounts>();
  const acknowledgedOf: Record<DeliveryService, number> = { dispatcher: 0, "event-publisher": 0 };
  const attempts: { -readonly [Key in keyof HeardAttempt]: HeardAttempt[Key] }[] = [];
  let place = 0;

  function countsOf(bank: string): BankCounts {
    const known = counts.get(bank) ?? { messages: 0, first: 0, arrivals: 0, acknowledged: 0, waiting: 0, longestQueue: 0 };
    counts.set(bank, known);
    return known;
  }

  function acknowledged(way: Way | undefined): void {
    if (way === undefined || way.acknowledgedAtMs !== null) return;
    way.acknowledgedAtMs = time.monotonicMs();
    countsOf(way.sent.message.bank).waiting -= 1;
    acknowledgedOf[way.sent.message.service] += 1;
  }

  return {
    appending(sent, phase, plannedAtMs) {
      ways.set(sent.message.id, { sent, phase, plannedAtMs, isHeard: false, acknowledgedAtMs: null });
      const of = countsOf(sent.message.bank);
      of.messages += 1;
      of.waiting += 1;
      of.longestQueue = Math.max(of.longestQueue, of.waiting);
    },
    arrived(bank, message) {
      const way = ways.get(message.id);
      const of = countsOf(bank);
      of.arrivals += 1;
      if (way?.isHeard === false) of.first += 1;
      if (way !== undefined) way.isHeard = true;
      const digest = digestOf(message);
      // Strings of the plan in place of those of the request: a hundred thousand of them are kept.
      const isSame = digest === way?.sent.digest;
      const id = way?.sent.message.id ?? message.id;
      place += 1;
      const attempt = { id, bank, digest: isSame ? way.sent.digest : digest, arrivedAt: place, acknowledgedAt: null as number | null };
      attempts.push(attempt);
      return () => {
        place += 1;
        attempt.acknowledgedAt = place;
        of.acknowledged += 1;
        if (way?.sent.message.bank === bank) acknowledged(way);
      };
    },
    sent: () => [...ways.values()].map(({ sent }) => sent),
    appended: () => ways.size,
    attempts: () => attempts,
    waiting: (bank) => (bank === undefined ? [...counts.values()].reduce((sum, { waiting }) => sum + waiting, 0) : countsOf(bank).waiting),
    acknowledgedOf: (service) => acknowledgedOf[service],
    figures: () => figuresOf(ways, counts),
    latenciesMs: (phase, banks) => latencies([...ways.values()].filter((way) => way.phase === phase && banks.has(way.sent.message.bank))),
  };
}

function figuresOf(ways: ReadonlyMap<string, Way>, counts: ReadonlyMap<string, BankCounts>): readonly BankFigures[] {
  const byBank = Map.groupBy(ways.values(), ({ sent }) => sent.message.bank);
  return [...counts].map(([bank, { messages, first, arrivals, acknowledged, longestQueue }]) => {
    const sorted = latencies(byBank.get(bank) ?? []);
    return {
      bank,
      messages,
      first,
      repeats: arrivals - first,
      unacknowledged: arrivals - acknowledged,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      longestQueue,
    };
  });
}

function latencies(ways: readonly Way[]): readonly number[] {
  return ways
    .flatMap(({ plannedAtMs, acknowledgedAtMs }) => (acknowledgedAtMs === null ? [] : [acknowledgedAtMs - plannedAtMs]))
    .sort((one, other) => one - other);
}

/** Of sorted values; 0 where there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function digestOf({ id, idempotencyKey, operation, body, sequence, previousId }: SameOnEveryAttempt): string {
  const hash = createHash("sha256").update(JSON.stringify([id, idempotencyKey, operation, sequence, previousId]));
  return hash.update(body).digest("base64").slice(0, 24);
}
