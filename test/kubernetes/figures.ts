// What a disturbance cost: counted from what a bank sent and from what it received.

import type { ReceivedEntry } from "@sluice/checker";

/** A debit that the load sent once. */
export interface SentDebit {
  readonly uetr: string;
  /** The status of the answer, or why there was none. */
  readonly outcome: number | string;
  readonly isKeptAlive: boolean;
  readonly answeredAtMs: number;
  /** Milliseconds from the first request to the last answer. */
  readonly acceptedAfterMs: number;
}

export interface Figures {
  readonly sent: number;
  readonly accepted: number;
  /** Requests that got no answer at all. */
  readonly unanswered: number;
  /** These, and answers other than 202, by reason or status, and by the kind of the connection. */
  readonly others: Readonly<Record<string, number>>;
  /** Accepted debits that the bank never received. */
  readonly lost: number;
  /** Messages that the bank received again after it had acknowledged them. */
  readonly repeated: { readonly debits: number; readonly reports: number; readonly events: number };
  /** Milliseconds from the answer 202 until the debit came to the bank. */
  readonly waitsMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The debits that waited longest, the longest first: when each was answered, and for how long it waited then. */
  readonly slowest: readonly { readonly answeredAtMs: number; readonly waitMs: number }[];
  /** The longest time that a caller was without its last answer, repeats included. */
  readonly answerMaxMs: number;
}

/** Debits of `slowest`: the logs of the pods say what happened when they waited. */
const slowestMax = 8;

/** `received` is everything that banks received, first to last. Only what concerns the debits is counted. */
export function measure(sent: readonly SentDebit[], received: readonly ReceivedEntry[]): Figures {
  const accepted = sent.filter(({ outcome }) => outcome === 202);
  const uetrs = new Set(sent.map(({ uetr }) => uetr));
  const concerned = received.filter((entry) => uetrs.has(entry.uetr));
  const debitedAtMs = new Map<string, number>();
  for (const { operation, uetr, atMs } of concerned)
    if (operation === "inboundDirectDebit" && !debitedAtMs.has(uetr)) debitedAtMs.set(uetr, atMs);
  const waits = accepted.flatMap(({ uetr, answeredAtMs }) => {
    const atMs = debitedAtMs.get(uetr);
    // The debit may come before its sender has read the answer.
    return atMs === undefined ? [] : [{ answeredAtMs, waitMs: Math.max(0, atMs - answeredAtMs) }];
  });
  const slowest = waits.toSorted((a, b) => b.waitMs - a.waitMs);
  const sorted = slowest.map(({ waitMs }) => waitMs).toReversed();
  const all = listRepeats(sent, received);
  const repeats = (wanted: string): number => all.filter(({ operation }) => operation === wanted).length;
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    sent: sent.length,
    accepted: accepted.length,
    unanswered: sent.filter(({ outcome }) => typeof outcome === "string").length,
    others: countBy(
      sent.filter(({ outcome }) => outcome !== 202).map(({ outcome, isKeptAlive }) => `${outcome} ${isKeptAlive ? "kept" : "new"}`),
    ),
    lost: accepted.length - sorted.length,
    repeated: { debits: repeats("inboundDirectDebit"), reports: repeats("outboundDirectDebitResponse"), events: repeats("events") },
    waitsMs: { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 },
    slowest: slowest.slice(0, slowestMax),
    answerMaxMs: sent.reduce((most, { acceptedAfterMs }) => Math.max(most, acceptedAfterMs), 0),
  };
}

export function formatFigures(name: string, { sent, accepted, others, lost, repeated, waitsMs, answerMaxMs }: Figures): string {
  const unlike = Object.entries(others).map(([what, count]) => `${count} × ${what}`);
  const repeats = `${repeated.debits} debits, ${repeated.reports} reports, ${repeated.events} events`;
  const waits = `p50 ${waitsMs.p50}, p99 ${waitsMs.p99}, max ${waitsMs.max} ms`;
  return `${name}: ${sent} sent, ${accepted} accepted${unlike.length === 0 ? "" : ` (${unlike.join(", ")})`}, ${lost} lost; repeated ${repeats}; to the debit ${waits}; to the answer ${answerMaxMs} ms at most`;
}

/** A message that came again after its acknowledgement. */
export interface Repeat {
  readonly operation: string;
  readonly webhookId: string;
  readonly uetr: string;
  readonly atMs: number;
  /** Milliseconds since it was acknowledged first. */
  readonly afterMs: number;
}

/** `received` is everything that banks received, first to last. */
export function listRepeats(sent: readonly SentDebit[], received: readonly ReceivedEntry[]): readonly Repeat[] {
  const uetrs = new Set(sent.map(({ uetr }) => uetr));
  const acknowledgedAtMs = new Map<string, number>();
  return received.flatMap(({ operation, webhookId, uetr, atMs, status }) => {
    if (!uetrs.has(uetr)) return [];
    const key = `${operation} ${webhookId}`;
    const firstMs = acknowledgedAtMs.get(key);
    if (firstMs === undefined && status !== null && status >= 200 && status < 300) acknowledgedAtMs.set(key, atMs);
    return firstMs === undefined ? [] : [{ operation, webhookId, uetr, atMs, afterMs: atMs - firstMs }];
  });
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
