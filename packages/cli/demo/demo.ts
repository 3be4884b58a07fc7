// `./sluice demo`: a business day in half a minute, on real servers and real processes, shown and checked.
//
// #1 Exit 0 only if every check passed; 1 with the reasons otherwise; 2 for wrong arguments; 130 on Ctrl-C.
// #2 Whatever happens, nothing is left running, and nothing is left behind but what `--keep` asked for.
// #3 With `--json` standard output holds the result and nothing else.
// #4 A day whose services came up too late for its windows is not played: all is set up again with more time, once.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkHistory, formatEntry, type HistoryEntry } from "@sluice/checker";
import { lanesDefault } from "@sluice/contracts";
import { Fault, machineRandom, machineTime, sleep } from "@sluice/runtime";
import type { RecordedRequest } from "@sluice/testkit";
import { readTimeline } from "@sluice/timeline";
import { interruptible } from "../interruption.ts";
import { planDemoDay, type DemoDay, type TransactionKind } from "./demo-day.ts";
import { demoUsage, readDemoOptions, type DemoOptions } from "./demo-options.ts";
import { collectHistory, loadDocuments } from "./history.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import { isTooLate, pacesFor } from "./pace.ts";
import { playDay } from "./play.ts";
import { formatReport, jsonReport, type DemoReport } from "./report.ts";
import { openStage, type Stage } from "./stage.ts";

const exitCodes = { right: 0, wrong: 1, usage: 2, interrupted: 130 } as const;
const restartAfterMs = 1_000;
const keptFolder = fileURLToPath(new URL("../../../.sluice/demo/", import.meta.url));

export async function runDemo(args: readonly string[]): Promise<number> {
  const reading = readDemoOptions(args);
  if (!reading.ok) {
    process.stderr.write(`demo: ${reading.problem}\n\n${demoUsage}\n`);
    return exitCodes.usage;
  }
  const { options } = reading;
  const tell = options.isJson ? process.stderr : process.stdout;
  const startedMs = machineTime.monotonicMs();
  using interruption = interruptible();
  const narrator = createNarrator(machineTime, (line) => tell.write(`${line}\n`));
  try {
    const report = await demonstrate(options, narrator, interruption.signal);
    const tookMs = machineTime.monotonicMs() - startedMs;
    process.stdout.write(`${options.isJson ? jsonReport(report, tookMs) : formatReport(report, tookMs)}\n`);
    return report.problems.length === 0 ? exitCodes.right : exitCodes.wrong;
  } catch (error) {
    if (interruption.signal.aborted) {
      narrator.say("demo", "interrupted; everything is stopped");
      return exitCodes.interrupted;
    }
    process.stderr.write(`demo: ${error instanceof Fault ? error.message : describeError(error)}\n`);
    return exitCodes.wrong;
  } finally {
    narrator.stop();
  }
}

async function demonstrate(options: DemoOptions, narrator: Narrator, signal: AbortSignal): Promise<DemoReport> {
  const directory = options.isKept ? join(keptFolder, new Date(machineTime.nowMs()).toISOString().replaceAll(":", "-")) : null;
  const day = planDemoDay(machineRandom, options.debits, machineTime.nowMs());
  for (const pace of pacesFor(options)) {
    await using stage = await openStage({ time: machineTime, random: machineRandom, narrator, day, pace, directory, signal });
    if (pace.isLast || !isTooLate(stage.times, day.transactions.length, machineTime.nowMs())) {
      return await playOn(stage, day, options, narrator, signal);
    }
    narrator.say("demo", "this machine needs more time to start: once again, with later windows");
  }
  throw new Error("the last pace is always played");
}

async function playOn(stage: Stage, day: DemoDay, options: DemoOptions, narrator: Narrator, signal: AbortSignal): Promise<DemoReport> {
  const { kill } = options;
  const end = await playDay({
    ...stage,
    time: machineTime,
    day,
    narrator,
    signal,
    kill: kill === null ? null : { service: kill, carryOut: () => killAndRestart(stage, kill) },
  });
  signal.throwIfAborted();
  const uetrs = day.transactions.map(({ uetr }) => uetr);
  const requests: readonly RecordedRequest[] = [...stage.recorded.requests];
  const documents = await loadDocuments(stage.store.transactions, uetrs);
  const history = await collectHistory({ ...stage, requests, documents });
  const checked = checkHistory(history);
  const timelines = await Promise.all(shownKinds.map((kind) => readTimeline(firstOf(day, kind), { ...stage, lanes: lanesDefault })));
  if (options.isKept) await keep(stage, history, narrator);
  return {
    evidence: end.evidence,
    times: stage.times,
    outage: end.outage,
    timelines: timelines.filter((timeline) => timeline !== null),
    problems: [
      ...end.problems,
      ...timelines.flatMap((timeline, index) => (timeline === null ? [`the timeline of the first ${shownKinds[index]} is empty`] : [])),
      ...stage.services.lost(),
      ...checked.violations.map(({ promise, uetr, text }) => `${promise}${uetr === null ? "" : ` ${uetr}`}: ${text}`),
    ],
    counts: { transactions: uetrs.length, historyEntries: history.length, ...checked.counts },
  };
}

/** One of each has its timeline shown. */
const shownKinds = ["good", "from-elsewhere", "credit"] as const satisfies readonly TransactionKind[];

function firstOf(day: DemoDay, wanted: TransactionKind): string {
  return day.transactions.find(({ kind }) => kind === wanted)?.uetr ?? "";
}

async function killAndRestart(stage: Stage, name: NonNullable<DemoOptions["kill"]>): Promise<void> {
  await stage.services.kill(name);
  await sleep(machineTime, restartAfterMs);
  await stage.services.restart(name);
}

async function keep(stage: Stage, history: readonly HistoryEntry[], narrator: Narrator): Promise<void> {
  await writeFile(join(stage.directory, "history.jsonl"), history.map((entry) => `${formatEntry(entry)}\n`).join(""));
  narrator.say("demo", `logs, configuration and history are kept in ${stage.directory}`);
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
