// The process of the bank in a journeys bench. It posts debits at times fixed beforehand, whatever became of earlier
// ones (open model), acknowledges everything, reports each debit as settled, and records when it receives what.
//
// #1 It reports a debit some time after it has acknowledged it, as a bank does: at once, its report would race our
//    record of the acknowledgement. The times are drawn, the same in each run, and are no part of a latency.
//
// Its first line of output is its port. Each line of input is a load. When all journeys have ended, or nothing changes
// any more, it prints one line with the result.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { machineRandom, machineTime, type Random, sleep } from "@sluice/kernel";
import { encodeBody, buildDirectDebit, validAccount, buildStatusReport, drawUetr, seededRandom } from "@sluice/testkit";
import { Pool } from "undici";
import type { JourneyLoad, JourneysResult } from "./load.ts";
import { quantile, roundTo } from "../spread.ts";
import { isTraced, placeInHalf } from "../tracing/halves.ts";
import { isSustained, type JourneyTimes } from "./sustained.ts";

interface Journey {
  readonly dueMs: number;
  /** #1 */
  readonly bankMs: number;
  reportedMs: number | null;
  completedMs: number | null;
}

const reportPath = "/transactions/inbound/direct-debit-response";
const debitPath = "/transactions/outbound/direct-debit";
const connections = 64;
const tickMs = 2;
const lookMs = 100;
const standstillMaxMs = 30_000;
const againAfterMs = 1_000;
const accountsMax = 500;
const bankMsMin = 20;
const bankMsMax = 2_000;

const journeys = new Map<string, Journey>();
let ingress: { readonly url: string; readonly pool: Pool; readonly token: string } | null = null;
let [reported, completed, accepted, notTaken, lastMovedMs] = [0, 0, 0, 0, 0];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    response.writeHead(202).end();
    receive(request.url ?? "", JSON.parse(Buffer.concat(chunks).toString()));
  });
});

interface ReceivedBody {
  readonly transactionIdentifiers?: { readonly uetr: string };
  readonly tranInfo?: { readonly tranUetr: string };
  readonly type?: string;
}

function receive(path: string, { transactionIdentifiers, tranInfo, type }: ReceivedBody): void {
  const uetr = transactionIdentifiers?.uetr ?? tranInfo?.tranUetr ?? "";
  const journey = journeys.get(uetr);
  if (journey === undefined) return;
  lastMovedMs = machineTime.monotonicMs();
  if (path === "/inbound/direct-debit") {
    const report = buildStatusReport({
      uetr,
      messageIdentification: `PSR-${uetr.slice(0, 23)}`,
      creationDateTime: new Date(machineTime.nowMs()).toISOString(),
    });
    machineTime.after(journey.bankMs, () => void post(reportPath, encodeBody(report)));
  } else if (path === "/outbound/direct-debit-response" && journey.reportedMs === null) {
    journey.reportedMs = lastMovedMs;
    reported += 1;
  } else if (path === "/events" && type === "DIRECT_DEBIT_COMPLETED" && journey.completedMs === null) {
    journey.completedMs = lastMovedMs;
    completed += 1;
  }
}

/** Posts as a bank does: the same bytes again until they are accepted. */
async function post(path: string, body: Uint8Array): Promise<void> {
  for (;;) {
    if (ingress === null) return;
    const { pool, token } = ingress;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const status = await pool
      .request({ method: "POST", path, headers, body })
      .then(async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      })
      .catch(() => 0);
    if (status === 202) return;
    notTaken += 1;
    if (status >= 400 && status < 500 && status !== 429) throw new Error(`ingress answered ${status} to ${path}`);
    await sleep(machineTime, againAfterMs);
  }
}

async function play(load: JourneyLoad): Promise<JourneysResult> {
  if (ingress?.url !== load.ingressUrl) {
    await ingress?.pool.close();
    ingress = { url: load.ingressUrl, pool: new Pool(load.ingressUrl, { connections, pipelining: 1 }), token: load.token };
  }
  journeys.clear();
  [reported, completed, accepted, notTaken] = [0, 0, 0, 0];
  const random = seededRandom("journeys");
  const total = Math.round(load.ratePerSecond * load.seconds);
  const fromMs = machineTime.monotonicMs() + tickMs;
  lastMovedMs = fromMs;
  for (let next = 0; next < total; await sleep(machineTime, tickMs)) {
    for (; next < total && computeDueMs(next) <= machineTime.monotonicMs(); next += 1) begin(load, computeDueMs(next), next, random);
  }
  const isOver = (): boolean => completed >= total || machineTime.monotonicMs() - lastMovedMs >= standstillMaxMs;
  while (!isOver()) await sleep(machineTime, lookMs);
  return {
    started: total,
    accepted,
    reported,
    completed,
    isSustained: isSustained([...journeys.values()].map(readTimes), load.seconds * 1_000),
    notTaken,
    lastAfterMs: Math.round(lastMovedMs - computeDueMs(total - 1)),
    completedPerSecond: roundTo(completed / ((lastMovedMs - fromMs) / 1_000), 1),
    untilReportMs: measureLatencies(({ dueMs, reportedMs }) => (reportedMs === null ? null : reportedMs - dueMs)),
    untilCompletedMs: measureLatencies(({ dueMs, bankMs, completedMs }) => (completedMs === null ? null : completedMs - bankMs - dueMs)),
  };

  function readTimes({ dueMs, bankMs, completedMs }: Journey): JourneyTimes {
    return { dueMs: dueMs - fromMs, endedMs: completedMs === null ? null : completedMs - bankMs - fromMs };
  }

  function computeDueMs(number: number): number {
    return fromMs + (number * 1_000) / load.ratePerSecond;
  }
}

function begin({ branch, tracedShare }: JourneyLoad, dueMs: number, number: number, random: Random): void {
  const drawn = drawUetr(machineRandom);
  const uetr = tracedShare === null ? drawn : placeInHalf(drawn, isTraced(number, tracedShare));
  const bankMs = bankMsMin + Math.floor(random.fraction() * (bankMsMax - bankMsMin));
  journeys.set(uetr, { dueMs, bankMs, reportedMs: null, completedMs: null });
  const debit = buildDirectDebit({
    uetr,
    messageIdentification: `BENCH-${uetr.slice(0, 23)}`,
    debtorBranch: branch,
    debtorAccount: validAccount(number % accountsMax),
    creationDateTime: new Date(machineTime.nowMs()).toISOString(),
  });
  void post(debitPath, encodeBody(debit)).then(() => (accepted += 1));
}

function measureLatencies(latencyMs: (journey: Journey) => number | null): JourneysResult["untilReportMs"] {
  const sorted = [...journeys.values()]
    .map(latencyMs)
    .filter((ms) => ms !== null)
    .toSorted((a, b) => a - b);
  return { p50: Math.round(quantile(sorted, 0.5)), p99: Math.round(quantile(sorted, 0.99)), most: Math.round(sorted.at(-1) ?? 0) };
}

function writeLine(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  writeLine({ port: typeof address === "object" ? address?.port : null });
});
for await (const line of createInterface({ input: process.stdin })) writeLine(await play(JSON.parse(line)));
process.exit(0);
