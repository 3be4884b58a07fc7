// `./sluice bench console`: how long the console's pages take over a large store.
//
// #1 The console runs as a process over a broker without records. The store is the local one in memory, or the one that
//    MONGO_URL names, which keeps what it was filled with for the next run of the same date and size.
// #2 A page is timed from the request to its last byte, with a session cookie as a browser has it. The first round
//    begins as soon as the console is ready, while what it counts is not counted yet; it is reported apart.
// #3 Pages follow each other in every round, with a pause between them, as the control API limits one operator.
// #4 Nothing about time is asserted. An answer other than 200 is a problem.

import { loadavg } from "node:os";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import { dateIn, noonZone } from "@sluice/environment";
import { bankId, type BenchBank, openBenchEnvironment } from "../environment.ts";
import { type Machine, machineFacts } from "../processor-time.ts";
import { computeSpread, roundTo } from "../spread.ts";
import { fillDatabase } from "./fill.ts";
import { firstPage, listBenchPages } from "./pages.ts";
import { buildBenchTransaction, type BenchSpan } from "./transactions.ts";

export interface ConsoleBenchOptions {
  readonly transactions: number;
  readonly rounds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

interface TimedPage {
  readonly path: string;
  /** Milliseconds of the first round. */
  readonly firstMs: number;
  /** Milliseconds of the rounds after it. */
  readonly medianMs: number;
  readonly worstMs: number;
  readonly bytes: number;
  /** Answers other than 200, by status. */
  readonly refused: readonly number[];
}

export interface ConsoleBenchReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly store: string;
  readonly transactions: number;
  readonly rounds: number;
  /** Null: the store was filled before. */
  readonly filledInMs: number | null;
  readonly pages: readonly TimedPage[];
  readonly goal: { readonly page: string; readonly belowMs: number; readonly isReached: boolean };
  /** The machine's load of the last minute, before and after the pages. */
  readonly load: readonly [before: number, after: number];
  readonly tookMs: number;
}

const goalMs = 200;
const pauseMs = 250;
const bankUrl = "http://127.0.0.1:9";
const branchFirst = 250_700;
const operator = { id: "bench", roles: ["read", "act", "approve"], token: "bench-of-the-console" } as const;
const moreBanks: readonly BenchBank[] = Array.from({ length: 9 }, (_, index) => ({
  id: `other${index}`,
  branch: String(branchFirst + index),
  url: bankUrl,
}));

export async function runConsoleBench(options: ConsoleBenchOptions): Promise<ConsoleBenchReport> {
  const { transactions, rounds, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const environment = await openBenchEnvironment(
    { ...options, bankUrl, moreBanks, operators: [operator], connections: 16, profileDirectory: null, time },
    opened,
  );
  const wanted = planSpan(transactions, time.nowMs());
  const database = `sluice_bench_console_${transactions}_${wanted.day.replaceAll("-", "")}`;
  const url = environment.settings["MONGO_URL"] ?? "";
  const { span, tookMs } = await fillDatabase({ ...environment, url, database, span: wanted, time, say, signal });
  const desk = await environment.start("console", { SLUICE_DATABASE: database });
  opened.defer(async () => void (await desk.stop()));
  await desk.ready();
  const visit = await signIn(`http://127.0.0.1:${desk.controlPort}`, time);
  const { uetr } = buildBenchTransaction(transactions - 1, span).transaction;
  const before = roundTo(loadavg()[0] ?? 0, 1);
  const visits = new Map(listBenchPages({ ...span, uetr, bank: bankId }).map((path) => [path, [] as Visit[]]));
  for (let round = 0; round <= rounds; round += 1) {
    say(round === 0 ? "each page for the first time" : `round ${round} of ${rounds}`);
    for (const [path, made] of visits) {
      signal.throwIfAborted();
      made.push(await visit(path));
      await sleep(time, pauseMs, signal);
    }
  }
  const pages = [...visits].map(([path, made]) => summarize(path, made));
  const problems = pages.flatMap(({ path, refused }) => (refused.length === 0 ? [] : [`${path} was answered ${refused.join(", ")}`]));
  const first = pages.find(({ path }) => path === firstPage);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: environment.storeText,
    transactions,
    rounds,
    filledInMs: tookMs,
    pages,
    goal: { page: firstPage, belowMs: goalMs, isReached: first !== undefined && Math.max(first.firstMs, first.worstMs) < goalMs },
    load: [before, roundTo(loadavg()[0] ?? 0, 1)],
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function planSpan(total: number, nowMs: number): BenchSpan {
  const day = dateIn(noonZone(nowMs), nowMs);
  const dayBefore = Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
  return { total, nowMs, dayBefore, day, banks: [bankId, ...moreBanks.map(({ id }) => id)] };
}

interface Visit {
  readonly status: number;
  readonly bytes: number;
  readonly tookMs: number;
}

/** #2 */
async function signIn(address: string, time: Time): Promise<(path: string) => Promise<Visit>> {
  const body = new URLSearchParams({ token: operator.token, next: "/" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await fetch(`${address}/sign-in`, { method: "POST", redirect: "manual", headers, body });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (cookie === undefined) throw new Error(`the console does not take the operator's token: HTTP ${answer.status}`);
  return async (path) => {
    const beganMs = time.monotonicMs();
    const page = await fetch(`${address}${path}`, { headers: { cookie } });
    const { byteLength } = await page.arrayBuffer();
    return { status: page.status, bytes: byteLength, tookMs: time.monotonicMs() - beganMs };
  };
}

function summarize(path: string, made: readonly Visit[]): TimedPage {
  const [first, ...later] = made;
  const spread = computeSpread(
    later.map(({ tookMs }) => tookMs),
    0,
  );
  return {
    path,
    firstMs: roundTo(first?.tookMs ?? 0, 0),
    medianMs: spread.median,
    worstMs: spread.most,
    bytes: made.at(-1)?.bytes ?? 0,
    refused: made.flatMap(({ status }) => (status === 200 ? [] : [status])),
  };
}
