// Writes the demo's progress: a line for each thing that happens, with the seconds since the start. Things that come in
// hundreds are counted and written once a second.

import type { ReceivedEntry, SentEntry } from "@sluice/checker";
import type { Time } from "@sluice/kernel";
import type { PartyRecorder } from "@sluice/testkit";
import { isBulkKind, type DemoDay, type DemoTransaction } from "./plan/day.ts";

export interface Narrator {
  /** Writes one line: who did it, and what happened. */
  say(who: string, what: string): void;
  /** Wraps a recorder: passes everything on and writes lines about it. */
  recorder(day: DemoDay, inner: PartyRecorder): PartyRecorder;
  stop(): void;
}

const countIntervalMs = 1_000;
const refusalLinesMax = 3;
const unansweredLinesMax = 3;
const creditEnds = ["CREDIT_AUTH_REJECTED", "CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_RECONCILIATION"];
/** States that get a line of their own for a transaction that is not one of the many good ones. */
const reportedStates: ReadonlySet<string> = new Set([
  "REJECTED",
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  ...creditEnds,
]);
const stateOrder = ["RECEIVED", "ACCEPTED", "REJECTED", "REJECTION_REPORTED", "REPORTED", "HELD", "RELEASED", "DELIVERED"];
const creditOrder = ["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING", "CREDIT_AUTH_DELIVERED"];
const endOrder = ["COMPLETED", "UNPAID", "RECONCILIATION", ...creditOrder, ...creditEnds];

export function createNarrator(time: Time, write: (line: string) => void): Narrator {
  const startedMs = time.monotonicMs();
  const stateByUetr = new Map<string, { readonly stageVersion: number; readonly state: string }>();
  let timer: Disposable | null = null;
  let saidCounts = "";
  let unanswered = 0;

  function say(who: string, what: string): void {
    const seconds = ((time.monotonicMs() - startedMs) / 1_000).toFixed(1).padStart(5);
    write(`${seconds} s  ${who.padEnd(10)} ${what}`);
  }

  function sayCounts(): void {
    timer = null;
    const counts = formatCounts([...stateByUetr.values()].map(({ state }) => state));
    if (counts !== saidCounts) say("states", counts);
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
    recorder(day, inner) {
      const planned = new Map(day.transactions.map((transaction) => [transaction.uetr, transaction]));
      const refusals = new Map<string, number>();
      return {
        sent(entry, body) {
          inner.sent(entry, body);
          noteUnanswered(entry);
        },
        received(entry, body, headers) {
          inner.received(entry, body, headers);
          const isNews = entry.operation === "events" && (stateByUetr.get(entry.uetr)?.stageVersion ?? 0) < (entry.stageVersion ?? 0);
          noteState(entry);
          const line = describeReceived(entry, planned.get(entry.uetr), isNews, refusals);
          if (line !== null) say(entry.bank, line);
        },
      };
    },
    stop: () => timer?.[Symbol.dispose](),
  };
}

function describeUnanswered(entry: SentEntry): string {
  if (entry.operation === "creditsFinal") return `credits of ${entry.uetr} declared final: ${entry.status ?? "no answer"}, is sent again`;
  const what = entry.operation.endsWith("Response") ? "report" : entry.operation.includes("Credit") ? "credit" : "debit";
  return `${shortUetr(entry.uetr)} ${what} posted: ${entry.status ?? "no answer"}, is sent again`;
}

function describeReceived(
  entry: ReceivedEntry,
  debit: DemoTransaction | undefined,
  isNews: boolean,
  refusals: Map<string, number>,
): string | null {
  if (entry.operation === "events") {
    const isReported = isNews && !(debit !== undefined && isBulkKind(debit.kind)) && reportedStates.has(entry.state ?? "");
    return isReported ? `${shortUetr(entry.uetr)} ${kindText(debit)}: ${entry.state}` : null;
  }
  if (entry.status === 202) return null;
  const key = `${entry.operation} ${entry.webhookId}`;
  const count = (refusals.get(key) ?? 0) + 1;
  refusals.set(key, count);
  if (count > refusalLinesMax) return null;
  const what = entry.operation.endsWith("Response")
    ? "report delivered"
    : entry.operation.includes("Credit")
      ? "credit delivered"
      : "debit delivered";
  return `${shortUetr(entry.uetr)} ${what}, attempt ${count}: ${entry.status === null ? "no answer" : `answers ${entry.status}`}`;
}

function formatCounts(states: readonly string[]): string {
  const counts = Map.groupBy(states, (state) => state);
  return [...stateOrder, ...endOrder]
    .filter((state) => counts.has(state))
    .map((state) => `${counts.get(state)?.length} ${state}`)
    .join(" · ");
}

function kindText(debit: DemoTransaction | undefined): string {
  return debit === undefined ? "unknown" : `(${debit.kind.replaceAll("-", " ")})`;
}

export function shortUetr(uetr: string): string {
  return `${uetr.slice(0, 8)}…`;
}
