// `./sluice trial windows`: three schedulers and the other services on real servers, over many short windows, while
// processes are killed, stopped and given wrong clocks by a plan that follows from the seed. Afterwards the topics are
// verified.
//
// #1 Exit code 0 only if nothing was violated and enough was shown; 1 with the violations and the folder of the
//    evidence; 130 on Ctrl-C.
// #2 The seed is printed; the same seed gives the same plan of faults.
// #3 Without libfaketime the trial runs without wrong clocks, and the report carries a note, because that part is not
//    shown.

import { join } from "node:path";
import { machineTime, type Time } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";
import { formatTable, projectRoot } from "@sluice/environment";
import { findFakeTime, fakeTimeMissingText } from "./fake-clock.ts";
import { planWindows } from "./plan.ts";
import { playRound, type RoundResult } from "./round.ts";

export interface WindowsTrialOptions {
  readonly seed: number;
  readonly windows: number;
  readonly isKept: boolean;
}

export interface WindowsTrialReport {
  readonly seed: number;
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly rounds: readonly RoundResult[];
  readonly tookMs: number;
}

const problemsShownMax = 20;

export async function runWindowsTrial(
  options: WindowsTrialOptions,
  say: (text: string) => void,
  signal: AbortSignal,
  time: Time = machineTime,
): Promise<WindowsTrialReport> {
  const { seed } = options;
  const fromMs = time.monotonicMs();
  const fakeTime = await findFakeTime();
  const notes = fakeTime === null ? [fakeTimeMissingText] : [];
  for (const note of notes) say(note);
  const plans = planWindows(seed, options.windows);
  const evidenceFolder = join(projectRoot, ".sluice", "trial", new Date(time.nowMs()).toISOString().replaceAll(":", "-"));
  say(`seed ${seed}: ${options.windows} windows in ${plans.length} rounds, ${plans.flatMap(({ faults }) => faults).length} faults`);
  const rounds: RoundResult[] = [];
  for (const plan of plans) {
    const name = `round ${plan.number}/${plans.length}`;
    const result = await playRound({
      plan,
      random: seededRandom(`traffic ${seed} ${plan.number}`),
      time,
      fakeTime,
      evidenceFolder,
      isKept: options.isKept,
      environment: environmentWithoutServers(),
      say: (text) => say(`${name}: ${text}`),
      signal,
    });
    rounds.push(result);
    say(`${name}: ${result.problems.length === 0 ? "right" : `${result.problems.length} PROBLEMS`}`);
  }
  const losses = rounds.flatMap((round) => round.losses.map((loss) => `round ${round.number}: ${loss}, and was started again`));
  const problems = rounds.flatMap((round) => round.problems.map((problem) => `round ${round.number}: ${problem}`));
  const tookMs = Math.round(time.monotonicMs() - fromMs);
  return { seed, isRight: problems.length === 0, problems, notes: [...notes, ...losses], rounds, tookMs };
}

/** Every round has servers of its own, because a day must start with an empty journal. */
function environmentWithoutServers(): NodeJS.ProcessEnv {
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, MONGO_URL: _mongo, ...rest } = process.env;
  return rest;
}

export function formatWindowsReport(report: WindowsTrialReport): string {
  const head = [
    "round",
    "final by",
    "windows",
    "opened",
    "missed",
    "markers again",
    "sent",
    "released",
    "kills",
    "stops",
    "clocks",
    "problems",
  ];
  const rows = report.rounds.map(({ number, creditsFinal, counts, faults, sent, problems }) => [
    number,
    creditsFinal,
    counts["windowsPlanned"] ?? 0,
    counts["windowsOpened"] ?? 0,
    counts["windowsMissed"] ?? 0,
    counts["markersAgain"] ?? 0,
    sent,
    counts["debitsReleased"] ?? 0,
    faults.kill,
    faults.stop,
    faults.clock,
    problems.length,
  ]);
  const skews = report.rounds.flatMap((round) => round.skews);
  const worst = Math.max(0, ...skews.map(({ setMs, seenMs }) => Math.abs(seenMs - setMs)));
  const seconds = skews.map(({ seenMs }) => Math.round(seenMs / 1_000));
  const clocks =
    skews.length === 0
      ? "no wrong clock was seen"
      : `clocks seen ${Math.min(...seconds)} s to ${Math.max(...seconds)} s off, at most ${worst} ms from what was set (their answers name whole seconds)`;
  const shown = report.problems.slice(0, problemsShownMax).map((problem) => `  - ${problem}`);
  const more = report.problems.length > shown.length ? [`  … and ${report.problems.length - shown.length} more`] : [];
  const evidence = report.rounds.flatMap((round) =>
    round.evidence === null ? [] : [`evidence of round ${round.number}: ${round.evidence}`],
  );
  const took = `seed ${report.seed}, ${(report.tookMs / 1_000).toFixed(0)} s`;
  return [
    formatTable(head, rows),
    "",
    clocks,
    ...report.notes.map((note) => `NOTE: ${note}`),
    ...evidence,
    report.isRight ? `Each window opened once and closed once, and nothing left early or was lost (${took}).` : `VIOLATED (${took}):`,
    ...shown,
    ...more,
  ].join("\n");
}
