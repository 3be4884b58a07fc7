// Waits until all that was sent in a trial has come to rest: each transaction has ended, or waits for another day, and all it has to say was heard.

import { terminalStates } from "@sluice/checker";
import type { Transaction } from "@sluice/domain";
import { sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { RecordedRequest } from "@sluice/testkit";
import { loadDocuments } from "../demo/history.ts";

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

/** False: not within the limit. */
export async function untilAtRest(options: RestOptions): Promise<boolean> {
  const { time, signal, limitMs } = options;
  const fromMs = time.monotonicMs();
  for (;;) {
    // The store may be busy for a moment; the next look will tell.
    if (await isAtRest(options).catch(() => false)) return true;
    if (signal.aborted || time.monotonicMs() - fromMs > limitMs) return false;
    await sleep(time, lookIntervalMs, signal);
  }
}

async function isAtRest({ store, recorded, sent, businessDate }: RestOptions): Promise<boolean> {
  const documents = await loadDocuments(store.transactions, sent);
  const heard = heardOf(recorded.requests);
  return sent.every((uetr) => {
    const transaction = documents.get(uetr)?.transaction;
    return transaction !== undefined && isOver(transaction, businessDate) && isHeard(transaction, heard.get(uetr));
  });
}

function isOver({ state, businessDate }: Transaction, today: string): boolean {
  return state !== "ORPHAN" && (terminalStates.has(state) || (state === "HELD" && businessDate !== today));
}

function isHeard({ transitions, flow, state }: Transaction, heard: Heard | undefined): boolean {
  const isOutcomeDue = flow === "credit" || (flow === "off-us" && (state === "COMPLETED" || state === "UNPAID"));
  return heard !== undefined && heard.events.size === transitions.length && (heard.isToldOutcome || !isOutcomeDue);
}

interface Heard {
  /** Stage versions that were acknowledged. */
  readonly events: Set<number>;
  isToldOutcome: boolean;
}

function heardOf(requests: readonly RecordedRequest[]): ReadonlyMap<string, Heard> {
  const heard = new Map<string, Heard>();
  for (const { entry } of requests) {
    if (entry.kind !== "received" || entry.status !== 202) continue;
    const of = heard.get(entry.uetr) ?? { events: new Set(), isToldOutcome: false };
    heard.set(entry.uetr, of);
    if (entry.operation === "events" && entry.stageVersion !== null) of.events.add(entry.stageVersion);
    if (/O\d$/.test(entry.webhookId)) of.isToldOutcome = true;
  }
  return heard;
}
