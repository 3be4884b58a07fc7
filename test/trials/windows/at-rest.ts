// Waits until everything that a trial sent is at rest: each transaction has ended or waits for another day, and every
// message about it was acknowledged.

import { specifiedTerminalStates } from "@sluice/checker";
import type { Transaction } from "@sluice/domain";
import { sleep, type Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import type { RecordedRequest } from "@sluice/testkit";
import { loadDocuments } from "@sluice/environment";

export interface RestOptions {
  readonly store: Store;
  readonly recorded: { readonly requests: readonly RecordedRequest[] };
  readonly sent: readonly string[];
  readonly businessDate: string;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

const lookIntervalMs = 1_000;

/** Returns false if that takes longer than the limit. */
export async function untilAtRest(options: RestOptions): Promise<boolean> {
  const { time, signal, limitMs } = options;
  const fromMs = time.monotonicMs();
  for (;;) {
    // The store may be busy for a moment; the next round asks again.
    if (await isAtRest(options).catch(() => false)) return true;
    if (signal.aborted || time.monotonicMs() - fromMs > limitMs) return false;
    await sleep(time, lookIntervalMs, signal);
  }
}

async function isAtRest({ store, recorded, sent, businessDate }: RestOptions): Promise<boolean> {
  const documents = await loadDocuments(store.transactions, sent);
  const received = collectReceived(recorded.requests);
  return sent.every((uetr) => {
    const transaction = documents.get(uetr)?.transaction;
    return transaction !== undefined && isOver(transaction, businessDate) && isReceived(transaction, received.get(uetr));
  });
}

function isOver({ state, businessDate }: Transaction, today: string): boolean {
  return state !== "ORPHAN" && (specifiedTerminalStates.has(state) || (state === "HELD" && businessDate !== today));
}

function isReceived({ transitions, flow, state }: Transaction, received: ReceivedMessages | undefined): boolean {
  const isOutcomeDue = flow === "credit" || (flow === "off-us" && (state === "COMPLETED" || state === "UNPAID"));
  return received !== undefined && received.events.size === transitions.length && (received.hasOutcome || !isOutcomeDue);
}

interface ReceivedMessages {
  /** Stage versions whose events were acknowledged. */
  readonly events: Set<number>;
  hasOutcome: boolean;
}

function collectReceived(requests: readonly RecordedRequest[]): ReadonlyMap<string, ReceivedMessages> {
  const received = new Map<string, ReceivedMessages>();
  for (const { entry } of requests) {
    if (entry.kind !== "received" || entry.status !== 202) continue;
    const messages = received.get(entry.uetr) ?? { events: new Set(), hasOutcome: false };
    received.set(entry.uetr, messages);
    if (entry.operation === "events" && entry.stageVersion !== null) messages.events.add(entry.stageVersion);
    if (/O\d$/.test(entry.webhookId)) messages.hasOutcome = true;
  }
  return received;
}
