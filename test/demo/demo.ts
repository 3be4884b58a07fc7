// `./sluice demo`: a business day in about three quarters of a minute, on real servers and real processes, shown and
// checked.
//
// #1 Exit code 0 only if every check passed; 1 with the reasons otherwise; 2 for wrong arguments; 130 on Ctrl-C.
// #2 Whatever happens, nothing is left running, and only what `--keep` asked for is left behind.
// #3 With `--json` standard output holds the result and nothing else.
// #4 If the services start too late for the windows, the day is not played. Everything is set up once more, with more
//    time.
// #5 Where Java is missing, or with `--in-memory`, the same day is played in this process, and the demo says so.
// #6 With `--stay` everything stays up after the verdict until Ctrl-C: with a debit that waits, and two items that
//    nobody has resolved. The exit code is that of the day.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory, formatEntry, type HistoryEntry } from "@sluice/checker";
import { partitionCountDefault } from "@sluice/contracts";
import { Fault, formatReason, machineRandom, machineTime, sleep } from "@sluice/kernel";
import type { RecordedRequest } from "@sluice/testkit";
import { readTimeline } from "@sluice/timeline";
import { collectHistory, interruptible, loadDocuments, projectRoot } from "@sluice/environment";
import { leaveItemsOpen, planDemoDay, planWaitingDebit, type DemoDay, type TransactionKind } from "./plan/day.ts";
import { readDemoOptions, type DemoOptions } from "./options.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import { folderOf, isTooLate, memoryPace, pacesFor } from "./plan/pace.ts";
import { playDay } from "./play/play.ts";
import { countOpenItems } from "./report/day-table.ts";
import { formatStay } from "./report/stay.ts";
import { formatCast } from "./report/cast.ts";
import { formatReport, jsonReport, type DemoReport } from "./report/report.ts";
import { openDemoEnvironment, type DemoEnvironment, type DemoEnvironmentOptions } from "./environment/demo-environment.ts";

const exitCodes = { right: 0, wrong: 1, usage: 2, interrupted: 130 } as const;
const restartAfterMs = 1_000;
const stayCheckMs = 1_000;
const keptFolder = join(projectRoot, ".sluice", "demo");

export async function runDemo(args: readonly string[]): Promise<number> {
  const reading = readDemoOptions(args);
  if (!reading.ok) {
    process.stderr.write(`sluice: demo: ${reading.problem}; see ./sluice demo --help\n`);
    return exitCodes.usage;
  }
  const { options } = reading;
  const output = options.isJson ? process.stderr : process.stdout;
  const startedMs = machineTime.monotonicMs();
  using interruption = interruptible();
  const narrator = createNarrator(machineTime, (line) => output.write(`${line}\n`), isBoldShown(output) ? bold : undefined);
  try {
    const report = await demonstrate(options, narrator, interruption.signal, async (environment, shown) => {
      const tookMs = machineTime.monotonicMs() - startedMs;
      process.stdout.write(`${options.isJson ? jsonReport(shown, tookMs) : formatReport(shown, tookMs)}\n`);
      if (options.isStaying) await stay(environment, shown, interruption.signal);
    });
    return report.problems.length === 0 ? exitCodes.right : exitCodes.wrong;
  } catch (error) {
    if (interruption.signal.aborted) {
      narrator.say("demo", "interrupted; everything is stopped");
      return exitCodes.interrupted;
    }
    process.stderr.write(`demo: ${error instanceof Fault ? formatReason(error) : describeError(error)}\n`);
    if (!options.isKept) process.stderr.write("demo: the logs of this run are removed; ./sluice demo --keep keeps them\n");
    return exitCodes.wrong;
  } finally {
    narrator.stop();
  }
}

/** Shows the report while the environment is still open. */
type ShowReport = (environment: DemoEnvironment, report: DemoReport) => Promise<void>;

async function demonstrate(options: DemoOptions, narrator: Narrator, signal: AbortSignal, show: ShowReport): Promise<DemoReport> {
  const directory = options.isKept ? join(keptFolder, new Date(machineTime.nowMs()).toISOString().replaceAll(":", "-")) : null;
  const planned = planDemoDay(machineRandom, options.debits, machineTime.nowMs());
  const day = options.isStaying ? leaveItemsOpen(planned) : planned;
  (options.isJson ? process.stderr : process.stdout).write(`${formatCast(day)}\n\n`);
  const common = { time: machineTime, random: machineRandom, narrator, day, directory, signal };
  if (options.isInMemory) return await playInMemory(common, options, show);
  try {
    return await playOnServers(common, options, show);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "servers.missing-tools" || options.kill !== null || options.isSecured) throw error;
    for (const line of error.message.split("\n")) narrator.say("demo", line);
    narrator.say("demo", "so the same day is played in one process, over a log and a store in memory");
    return await playInMemory(common, options, show);
  }
}

type Common = Omit<DemoEnvironmentOptions, "pace">;

/** #5 */
async function playInMemory(common: Common, options: DemoOptions, show: ShowReport): Promise<DemoReport> {
  const { openMemoryEnvironment } = await import("./environment/memory-environment.ts");
  await using environment = await openMemoryEnvironment({ ...common, pace: memoryPace(options) });
  const report = await playIn(environment, common.day, options, common.narrator, common.signal);
  await show(environment, report);
  return report;
}

/** #4 */
async function playOnServers(common: Common, options: DemoOptions, show: ShowReport): Promise<DemoReport> {
  const { day, narrator, signal } = common;
  for (const pace of pacesFor(options)) {
    await using environment = await openDemoEnvironment({
      ...common,
      directory: folderOf(pace, common.directory),
      pace,
      isSecured: options.isSecured,
    });
    if (pace.isLast || !isTooLate(environment.times, day.transactions.length, machineTime.nowMs())) {
      const report = await playIn(environment, day, options, narrator, signal);
      await show(environment, report);
      return report;
    }
    narrator.say("demo", "this machine needs more time to start: once again, with later windows");
  }
  throw new Error("the last pace is always played");
}

async function playIn(
  environment: DemoEnvironment,
  day: DemoDay,
  options: DemoOptions,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<DemoReport> {
  const { kill } = options;
  const end = await playDay({
    ...environment,
    time: machineTime,
    day,
    narrator,
    signal,
    isCloseExtended: environment.connections["KAFKA_BROKERS"] === undefined,
    kill: kill === null ? null : { service: kill, carryOut: () => killAndRestart(environment, kill) },
  });
  signal.throwIfAborted();
  const uetrs = day.transactions.map(({ uetr }) => uetr);
  const requests: readonly RecordedRequest[] = [...environment.recorded.requests];
  const documents = await loadDocuments(environment.store.transactions, uetrs);
  const history = await collectHistory({ ...environment, requests, documents });
  const checked = checkHistory(history);
  const timelines = await Promise.all(
    shownKinds.map((kind) => readTimeline(findFirst(day, kind), { ...environment, partitionCount: partitionCountDefault })),
  );
  if (options.isKept) await keep(environment, history, narrator);
  return {
    evidence: end.evidence,
    times: end.times,
    outage: end.outage,
    timelines: timelines.filter((timeline) => timeline !== null),
    problems: [
      ...end.problems,
      ...timelines.flatMap((timeline, index) => (timeline === null ? [`the timeline of the first ${shownKinds[index]} is empty`] : [])),
      ...environment.services.lost(),
      ...checked.violations.map(({ promise, uetr, text }) => `${promise}${uetr === null ? "" : ` ${uetr}`}: ${text}`),
    ],
    counts: { transactions: uetrs.length, historyEntries: history.length, ...checked.counts },
  };
}

/** The report shows the timeline of the first transaction of each of these kinds. */
const shownKinds = ["good", "off-us", "credit"] as const satisfies readonly TransactionKind[];

function findFirst(day: DemoDay, wanted: TransactionKind): string {
  return day.transactions.find(({ kind }) => kind === wanted)?.uetr ?? "";
}

async function killAndRestart(environment: DemoEnvironment, name: NonNullable<DemoOptions["kill"]>): Promise<void> {
  await environment.services.kill(name);
  await sleep(machineTime, restartAfterMs);
  await environment.services.restart(name);
}

async function keep(environment: DemoEnvironment, history: readonly HistoryEntry[], narrator: Narrator): Promise<void> {
  await writeFile(join(environment.directory, "history.jsonl"), history.map((entry) => `${formatEntry(entry)}\n`).join(""));
  narrator.say("demo", `logs, configuration and history are kept in ${environment.directory}`);
}

/** #6 */
async function stay(environment: DemoEnvironment, report: DemoReport, signal: AbortSignal): Promise<void> {
  const debit = planWaitingDebit(machineRandom, machineTime.nowMs());
  const sent = await environment.banks.get(debit.bank)?.sendDebit(debit.message);
  if (sent?.status !== 202) process.stderr.write(`demo: the debit that should wait was answered ${sent?.status ?? "nothing"}\n`);
  process.stderr.write(
    `\n${formatStay(environment, { ...report.times, waiting: debit.uetr, openItems: countOpenItems(report.evidence) })}\n`,
  );
  // A timer keeps the process alive until it is interrupted.
  while (!signal.aborted) await sleep(machineTime, stayCheckMs, signal);
}

/** https://no-color.org: any value but an empty one turns emphasis off. */
function isBoldShown(output: NodeJS.WriteStream): boolean {
  return output.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}

function bold(text: string): string {
  return `\u001b[1m${text}\u001b[0m`;
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
