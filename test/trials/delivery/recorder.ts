// Records what the banks received in a delivery trial, for the verdict, and counts the figures of each bank. It keeps
// digests of bodies, not the bodies.

import { createHash } from "node:crypto";
import type { Time } from "@sluice/kernel";
import type { ReceivedAttempt, SentMessage } from "./verdict.ts";
import type { DeliveryService, PhaseName } from "./plan.ts";

/** The part of a request that is the same in every attempt of a message. */
export interface AttemptContent {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly operation: string;
  readonly body: Uint8Array;
  /** Of an event: its stage version and the id of the event before it. Empty if the request lacks the header. */
  readonly sequence: string;
  readonly previousId: string;
}

export interface BankFigures {
  readonly bank: string;
  readonly messages: number;
  /** Messages of which at least one attempt reached the bank. */
  readonly first: number;
  readonly repeats: number;
  readonly unacknowledged: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The most messages that were appended and not acknowledged at one time. */
  readonly longestQueue: number;
}

export interface DeliveryRecorder {
  /** Records that a message is appended. Its latency counts from `plannedAtMs`, in monotonic milliseconds. */
  recordAppend(sent: SentMessage, phase: PhaseName, plannedAtMs: number): void;
  /** Records an attempt. The caller calls the returned function when the bank acknowledges it. */
  recordArrival(bank: string, message: AttemptContent): () => void;
  sent(): readonly SentMessage[];
  appended(): number;
  attempts(): readonly ReceivedAttempt[];
  /** Returns how many messages wait, for one bank or for all, without those that are never taken. */
  waiting(bank?: string): number;
  acknowledgedBy(service: DeliveryService): number;
  figures(): readonly BankFigures[];
  /** Returns the latencies of these banks' messages up to the first acknowledgement, in milliseconds, sorted. */
  waitsMs(banks: ReadonlySet<string>): readonly number[];
  /** The same, of one phase. */
  latenciesMs(phase: PhaseName, banks: ReadonlySet<string>): readonly number[];
}

interface TrackedDelivery {
  readonly sent: SentMessage;
  readonly phase: PhaseName;
  readonly plannedAtMs: number;
  hasArrived: boolean;
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

export function createDeliveryRecorder(time: Time): DeliveryRecorder {
  const deliveries = new Map<string, TrackedDelivery>();
  const counts = new Map<string, BankCounts>();
  const acknowledgedBy: Record<DeliveryService, number> = { dispatcher: 0, "event-publisher": 0 };
  const attempts: { -readonly [Key in keyof ReceivedAttempt]: ReceivedAttempt[Key] }[] = [];
  let place = 0;

  function getCounts(bank: string): BankCounts {
    const known = counts.get(bank) ?? { messages: 0, first: 0, arrivals: 0, acknowledged: 0, waiting: 0, longestQueue: 0 };
    counts.set(bank, known);
    return known;
  }

  function acknowledged(delivery: TrackedDelivery | undefined): void {
    if (delivery === undefined || delivery.acknowledgedAtMs !== null) return;
    delivery.acknowledgedAtMs = time.monotonicMs();
    getCounts(delivery.sent.message.bank).waiting -= 1;
    acknowledgedBy[delivery.sent.message.service] += 1;
  }

  return {
    recordAppend(sent, phase, plannedAtMs) {
      deliveries.set(sent.message.id, { sent, phase, plannedAtMs, hasArrived: false, acknowledgedAtMs: null });
      const bankCounts = getCounts(sent.message.bank);
      bankCounts.messages += 1;
      if (sent.message.isNeverTaken !== true) bankCounts.waiting += 1;
      bankCounts.longestQueue = Math.max(bankCounts.longestQueue, bankCounts.waiting);
    },
    recordArrival(bank, message) {
      const delivery = deliveries.get(message.id);
      const bankCounts = getCounts(bank);
      bankCounts.arrivals += 1;
      if (delivery?.hasArrived === false) bankCounts.first += 1;
      if (delivery !== undefined) delivery.hasArrived = true;
      const digest = digestContent(message);
      // The strings of the plan replace those of the request, because a hundred thousand of them are kept.
      const isSame = digest === delivery?.sent.digest;
      const id = delivery?.sent.message.id ?? message.id;
      place += 1;
      const attempt = { id, bank, digest: isSame ? delivery.sent.digest : digest, arrivedAt: place, acknowledgedAt: null as number | null };
      attempts.push(attempt);
      return () => {
        place += 1;
        attempt.acknowledgedAt = place;
        bankCounts.acknowledged += 1;
        if (delivery?.sent.message.bank === bank) acknowledged(delivery);
      };
    },
    sent: () => [...deliveries.values()].map((delivery) => ({ ...delivery.sent, waitedMs: waitedMs(delivery) })),
    appended: () => deliveries.size,
    attempts: () => attempts,
    waiting: (bank) => (bank === undefined ? [...counts.values()].reduce((sum, { waiting }) => sum + waiting, 0) : getCounts(bank).waiting),
    acknowledgedBy: (service) => acknowledgedBy[service],
    figures: () => buildFigures(deliveries, counts),
    waitsMs: (banks) => latencies([...deliveries.values()].filter(({ sent }) => banks.has(sent.message.bank))),
    latenciesMs: (phase, banks) =>
      latencies([...deliveries.values()].filter((delivery) => delivery.phase === phase && banks.has(delivery.sent.message.bank))),
  };
}

function buildFigures(deliveries: ReadonlyMap<string, TrackedDelivery>, counts: ReadonlyMap<string, BankCounts>): readonly BankFigures[] {
  const byBank = Map.groupBy(deliveries.values(), ({ sent }) => sent.message.bank);
  return [...counts].map(([bank, { messages, first, arrivals, acknowledged, longestQueue }]) => {
    const sorted = latencies(byBank.get(bank) ?? []);
    return {
      bank,
      messages,
      first,
      repeats: arrivals - first,
      unacknowledged: arrivals - acknowledged,
      p50Ms: sortedQuantile(sorted, 0.5),
      p99Ms: sortedQuantile(sorted, 0.99),
      longestQueue,
    };
  });
}

function waitedMs({ plannedAtMs, acknowledgedAtMs }: TrackedDelivery): number | null {
  return acknowledgedAtMs === null ? null : acknowledgedAtMs - plannedAtMs;
}

function latencies(deliveries: readonly TrackedDelivery[]): readonly number[] {
  return deliveries.flatMap((delivery) => waitedMs(delivery) ?? []).sort((one, other) => one - other);
}

/** Returns a quantile of sorted values; 0 if there are none. */
export function sortedQuantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function digestContent({ id, idempotencyKey, operation, body, sequence, previousId }: AttemptContent): string {
  const hash = createHash("sha256").update(JSON.stringify([id, idempotencyKey, operation, sequence, previousId]));
  return hash.update(body).digest("base64").slice(0, 24);
}
