// Writes the demo's progress: a line for each thing that happens, with the seconds since the start. Things that come in
// hundreds are counted. The day has acts, and no silence is longer than a few seconds without a word about what comes.

import type { ReceivedEntry, SentEntry } from "@sluice/checker";
import type { Time } from "@sluice/kernel";
import type { PartyRecorder } from "@sluice/testkit";
import type { DemoDay, DemoTransaction, TransactionKind } from "./plan/day.ts";

export interface Narrator {
  /** Writes one line: who did it, and what happened. */
  say(who: string, what: string): void;
  /** Begins an act; each once. */
  act(title: string): void;
  /** What the day waits for, until this time of the clock in epoch milliseconds. */
  awaits(what: string, atMs: number): void;
  /** Wraps a recorder: passes everything on and writes lines about it. */
  recorder(day: DemoDay, inner: PartyRecorder): PartyRecorder;
  stop(): void;
}

const countIntervalMs = 2_000;
/** After so long without a line the narrator says what the day waits for. */
const silenceMs = 4_000;
const unansweredLinesMax = 3;

/** What a state is for somebody who watches: in which of four places the transaction is. */
const places: Readonly<Record<string, "in checks" | "held" | "at their banks">> = {
  RECEIVED: "in checks",
  ACCEPTED: "in checks",
  REJECTED: "in checks",
  REPORTED: "in checks",
  HELD: "held",
  RELEASED: "at their banks",
  DELIVERED: "at their banks",
  CREDIT_AUTH_RECEIVED: "in checks",
  CREDIT_AUTH_ACCEPTED: "in checks",
  CREDIT_AUTH_DELIVERY_PENDING: "at their banks",
  CREDIT_AUTH_DELIVERED: "at their banks",
};
const placeOrder = ["in checks", "held", "at their banks", "ended"] as const;

/** What is said when the first transaction of a kind has its planned end; null: it is one of many. */
const endTexts: Readonly<Record<TransactionKind, string | null>> = {
  good: null,
  "through-outage": null,
  "bad-account": "a debit with a wrong account number is refused, and its bank knows",
  "posted-twice": "a debit that was posted twice is collected once",
  "shared-identification": "two debits have one identification: each is collected",
  "late-acknowledgement": "a debit whose bank answered late is collected",
  rejected: "a debit that its bank refuses ends unpaid",
  "no-answer": "a debit that its bank never answered goes to reconciliation",
  "no-report": "a debit without a report goes to reconciliation",
  "off-us": "a debit from another bank is collected, and the connector knows",
  "off-us-rejected": "a debit from another bank is refused, and the connector knows",
  credit: "a credit is booked at once: credits wait for no window",
  "credit-rejected": "a credit that its bank refuses: the connector knows",
  "credit-no-report": "a credit without a report goes to reconciliation",
  "credit-bad-account": "a credit to a wrong account number is refused",
};

/** `emphasize` marks the title of an act, where the output can show it. */
export function createNarrator(time: Time, write: (line: string) => void, emphasize = (text: string): string => text): Narrator {
  const startedMs = time.monotonicMs();
  const stateByUetr = new Map<string, { readonly stageVersion: number; readonly state: string }>();
  let timer: Disposable | null = null;
  let saidCounts = "";
  let unanswered = 0;
  const acts = new Set<string>();
  const kindsSaid = new Set<TransactionKind>();
  let awaited: { readonly what: string; readonly atMs: number } | null = null;
  let silence: Disposable | null = null;

  function say(who: string, what: string): void {
    const seconds = ((time.monotonicMs() - startedMs) / 1_000).toFixed(1).padStart(5);
    write(`${seconds} s  ${who.padEnd(10)} ${what}`);
    armSilence();
  }

  function armSilence(): void {
    silence?.[Symbol.dispose]();
    silence = awaited === null ? null : time.after(silenceMs, sayAwaited);
  }

  function sayAwaited(): void {
    silence = null;
    const leftMs = (awaited?.atMs ?? 0) - time.nowMs();
    if (awaited !== null && leftMs > 0) say("day", `waits: ${awaited.what} in ${Math.ceil(leftMs / 1_000)} s`);
  }

  function sayCounts(): void {
    timer = null;
    const counts = formatCounts([...stateByUetr.values()].map(({ state }) => state));
    if (counts !== saidCounts) say("all", counts);
    saidCounts = counts;
    if (unanswered > unansweredLinesMax) say("banks", `${unanswered} posts in all had no 202 in this second; each is sent again`);
    unanswered = 0;
  }

  /** The first few of a second get a line each; the rest are counted. */
  function noteUnanswered(entry: SentEntry): void {
    if (entry.status === 202) return;
    unanswered += 1;
    timer ??= time.after(countIntervalMs, sayCounts);
    if (unanswered <= unansweredLinesMax) say(entry.bank, describeUnanswered(entry));
  }

  function noteState(entry: ReceivedEntry): void {
    const known = stateByUetr.get(entry.uetr);
    if (entry.state === null || entry.stageVersion === null || entry.stageVersion <= (known?.stageVersion ?? 0)) return;
    stateByUetr.set(entry.uetr, { stageVersion: entry.stageVersion, state: entry.state });
    timer ??= time.after(countIntervalMs, sayCounts);
  }

  return {
    say,
    act(title) {
      if (acts.has(title)) return;
      acts.add(title);
      write(`\n${emphasize(`${acts.size}. ${title}`)}`);
    },
    awaits(what, atMs) {
      awaited = { what, atMs };
      armSilence();
    },
    recorder(day, inner) {
      const planned = new Map(day.transactions.map((transaction) => [transaction.uetr, transaction]));
      const refusals = new Set<string>();
      return {
        sent(entry, body) {
          inner.sent(entry, body);
          noteUnanswered(entry);
        },
        received(entry, body, headers) {
          inner.received(entry, body, headers);
          const isNews = entry.operation === "events" && (stateByUetr.get(entry.uetr)?.stageVersion ?? 0) < (entry.stageVersion ?? 0);
          noteState(entry);
          const line = describeReceived(entry, planned.get(entry.uetr), isNews, { refusals, kindsSaid });
          if (line !== null) say(entry.bank, line);
        },
      };
    },
    stop() {
      timer?.[Symbol.dispose]();
      silence?.[Symbol.dispose]();
    },
  };
}

function describeUnanswered(entry: SentEntry): string {
  if (entry.operation === "creditsFinal") return `credits of ${entry.uetr} declared final: ${entry.status ?? "no answer"}, is sent again`;
  const what = entry.operation.endsWith("Response") ? "report" : entry.operation.includes("Credit") ? "credit" : "debit";
  return `${shortUetr(entry.uetr)} ${what} posted: ${entry.status ?? "no answer"}, is sent again`;
}

interface Said {
  /** Banks and operations of which a refused attempt was shown. */
  readonly refusals: Set<string>;
  readonly kindsSaid: Set<TransactionKind>;
}

function describeReceived(entry: ReceivedEntry, debit: DemoTransaction | undefined, isNews: boolean, said: Said): string | null {
  if (entry.operation === "events") {
    const text = debit === undefined ? null : endTexts[debit.kind];
    if (!isNews || debit === undefined || text === null || entry.state !== debit.end.state || said.kindsSaid.has(debit.kind)) return null;
    said.kindsSaid.add(debit.kind);
    return text;
  }
  const key = `${entry.bank} ${entry.operation}`;
  if (entry.status === 202 || said.refusals.has(key)) return null;
  said.refusals.add(key);
  const what = entry.operation.endsWith("Response") ? "report" : entry.operation.includes("Credit") ? "credit" : "debit";
  return `${shortUetr(entry.uetr)} ${what} sent: ${entry.status === null ? "no answer" : `answered ${entry.status}`}; it is sent again`;
}

function formatCounts(states: readonly string[]): string {
  const counts = Map.groupBy(states, (state) => places[state] ?? "ended");
  return placeOrder.flatMap((place) => (counts.has(place) ? [`${counts.get(place)?.length} ${place}`] : [])).join(" · ");
}

export function shortUetr(uetr: string): string {
  return `${uetr.slice(0, 8)}…`;
}
