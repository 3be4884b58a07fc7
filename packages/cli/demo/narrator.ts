// What the demo says while it plays: a line as each thing happens, with the seconds since the start. What is a thing of hundreds is counted
// and said once a second.

import type { ReceivedEntry, SentEntry } from "@sluice/checker";
import type { Time } from "@sluice/runtime";
import type { BankRecorder } from "@sluice/testkit";
import { isOneOfMany, type DemoDay, type DemoTransaction } from "./demo-day.ts";

export interface Narrator {
  /** One line: who, and what happened. */
  say(who: string, what: string): void;
  /** A recorder that tells of what it sees and passes it on. */
  recorder(day: DemoDay, inner: BankRecorder): BankRecorder;
  stop(): void;
}

const countIntervalMs = 1_000;
const refusalLinesMax = 3;
const unansweredLinesMax = 3;
const creditEnds = ["CREDIT_AUTH_REJECTED", "CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_RECONCILIATION"];
/** States whose entry is a line of its own for a debit that is not one of the many good ones. */
const toldStates: ReadonlySet<string> = new Set(["REJECTED", "REJECTION_REPORTED", "COMPLETED", "UNPAID", "RECONCILIATION", ...creditEnds]);
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
    const counts = countsOf([...stateByUetr.values()].map(({ state }) => state));
    if (counts !== saidCounts) say("states", counts);
    saidCounts = counts;
    if (unanswered > unansweredLinesMax) say("banks", `${unanswered} posts in all had no 202 in this second; each is sent again`);
    unanswered = 0;
  }

  /** The first few of a second are said one by one. */
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
          const line = lineOfReceived(entry, planned.get(entry.uetr), isNews, refusals);
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
  return `${short(entry.uetr)} ${what} posted: ${entry.status ?? "no answer"}, is sent again`;
}

function lineOfReceived(
  entry: ReceivedEntry,
  debit: DemoTransaction | undefined,
  isNews: boolean,
  refusals: Map<string, number>,
): string | null {
  if (entry.operation === "events") {
    const isTold = isNews && !(debit !== undefined && isOneOfMany(debit.kind)) && toldStates.has(entry.state ?? "");
    return isTold ? `${short(entry.uetr)} ${kindText(debit)}: ${entry.state}` : null;
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
  return `${short(entry.uetr)} ${what}, try ${count}: ${entry.status === null ? "stays silent" : `answers ${entry.status}`}`;
}

function countsOf(states: readonly string[]): string {
  const counts = Map.groupBy(states, (state) => state);
  return [...stateOrder, ...endOrder]
    .filter((state) => counts.has(state))
    .map((state) => `${counts.get(state)?.length} ${state}`)
    .join(" · ");
}

function kindText(debit: DemoTransaction | undefined): string {
  return debit === undefined ? "unknown" : `(${debit.kind.replaceAll("-", " ")})`;
}

export function short(uetr: string): string {
  return `${uetr.slice(0, 8)}…`;
}
