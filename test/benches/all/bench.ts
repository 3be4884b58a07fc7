// `./sluice bench`: every bench that has a goal, one after another, and the goals beside what was measured.
//
// #1 Each bench opens servers of its own and closes them, so that none finds what another left.
// #2 A bench that fails is a problem of the report, and the others go on.

import { formatReason, machineTime, type Time } from "@sluice/kernel";
import { type DeliveryBenchReport, runDeliveryBench } from "../delivery/bench.ts";
import { type JourneysBenchReport, type JourneysStep, runJourneysBench } from "../journeys/bench.ts";
import { runDeadBankBench } from "../limits/dead-bank.ts";
import { buildFigure, type Figure, type LimitsReport } from "../limits/figures.ts";
import { runIdleBench } from "../limits/idle.ts";
import { runIngressBench } from "../limits/ingress.ts";
import { runOpeningBench } from "../limits/opening.ts";
import { runSchedulerBench } from "../limits/scheduler.ts";
import { type Machine, machineFacts } from "../processor-time.ts";
import { computeSpread } from "../spread.ts";
import { limitsSizes } from "../limits/sizes.ts";

export interface AllBenchesOptions {
  readonly isShort: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface AllBenchesReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  /** Every figure that has a goal, named by its bench. */
  readonly goals: Readonly<Record<string, Figure>>;
  /** What each bench printed, by its name. */
  readonly reports: Readonly<Record<string, Bench>>;
  readonly tookMs: number;
}

type Bench = DeliveryBenchReport | JourneysBenchReport | LimitsReport;

interface Played {
  readonly report: Bench;
  readonly figures: Readonly<Record<string, Figure>>;
}

const limits = {
  ingress: runIngressBench,
  scheduler: runSchedulerBench,
  "dead-bank": runDeadBankBench,
  idle: runIdleBench,
  opening: runOpeningBench,
} as const;
const limitsNames = ["ingress", "scheduler", "dead-bank", "idle", "opening"] as const satisfies readonly (keyof typeof limits)[];
const deliveries = { whole: { messages: 500_000, rounds: 3 }, short: { messages: 100_000, rounds: 1 } } as const;
const journeySeconds = { whole: 60, short: 20 } as const;
const journeyRates = [25, 100, null] as const;

export async function runAllBenches(options: AllBenchesOptions, time: Time = machineTime): Promise<AllBenchesReport> {
  const { isShort, environment, say, signal } = options;
  const startedMs = time.monotonicMs();
  const length = isShort ? "short" : "whole";
  const reports: Record<string, Bench> = {};
  const problems: string[] = [];
  const goals: Record<string, Figure> = {};

  async function play(name: string, run: (said: (text: string) => void) => Promise<Played>): Promise<void> {
    signal.throwIfAborted();
    say(`bench ${name}`);
    try {
      const { report, figures } = await run((text) => say(`${name}: ${text}`));
      reports[name] = report;
      problems.push(...report.problems.map((problem) => `${name}: ${problem}`));
      for (const [figure, one] of Object.entries(figures)) if (one.goal !== null) goals[`${name}: ${figure}`] = one;
    } catch (error) {
      // #2
      signal.throwIfAborted();
      problems.push(`${name}: ${formatReason(error)}`);
    }
  }

  const shared = { environment, signal };
  for (const name of limitsNames) {
    const { size, rounds } = limitsSizes[name];
    await play(name, async (said) => {
      const report = await limits[name]({ ...shared, say: said, size: size[length], rounds: rounds[length] });
      return { report, figures: report.figures };
    });
  }
  await play("delivery", async (said) => {
    const services = ["dispatcher", "event-publisher"] as const;
    const report = await runDeliveryBench({ ...shared, ...deliveries[length], say: said, services, profileDirectory: null });
    return { report, figures: listDeliveryGoals(report) };
  });
  for (const ratePerSecond of journeyRates) {
    await play(ratePerSecond === null ? "journeys" : `journeys at ${ratePerSecond} a second`, async (said) => {
      const seconds = journeySeconds[length];
      const report = await runJourneysBench({ ...shared, ratePerSecond, seconds, say: said, profileDirectory: null });
      return { report, figures: listJourneyGoals(report) };
    });
  }
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  return { isRight: problems.length === 0, problems, machine: machineFacts(), goals, reports, tookMs };
}

export function listDeliveryGoals({ services }: Pick<DeliveryBenchReport, "services">): Readonly<Record<string, Figure>> {
  return Object.fromEntries(
    services.flatMap(({ service, ratio, processorSecondsPer1000 }) => {
      const all = Object.entries(processorSecondsPer1000).find(([name]) => name === "all");
      return [
        [`${service} of the bare loop`, buildFigure("ratio", ratio, { atLeast: 0.5 })],
        ...(all === undefined ? [] : [[`${service}, all processes`, buildFigure("s for 1,000", all[1], { atMost: 0.06 })]]),
      ] as [string, Figure][];
    }),
  );
}

const processorGoalMs: Readonly<Record<number, number>> = { 25: 10, 100: 4 };
const reportGoalMs: Readonly<Record<number, { readonly p50: number; readonly p99: number }>> = { 100: { p50: 15, p99: 40 } };

/** The goals of the rate that was asked for, or of the highest one that was sustained. */
export function listJourneyGoals({ steps, sustained }: Pick<JourneysBenchReport, "steps" | "sustained">): Readonly<Record<string, Figure>> {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return listRateGoals(only);
  const sustainedRate = computeSpread([sustained?.ratePerSecond ?? 0], 0);
  return { sustained: buildFigure("journeys/s", sustainedRate, { atLeast: 1_000 }) };
}

function listRateGoals({ ratePerSecond, processorMicrosPerJourney, untilReportMs }: JourneysStep): Readonly<Record<string, Figure>> {
  const [processorMs, reportMs] = [processorGoalMs[ratePerSecond], reportGoalMs[ratePerSecond]];
  const one = (value: number, digits: number) => computeSpread([value], digits);
  return {
    ...(processorMs === undefined
      ? {}
      : {
          "all processes": buildFigure("ms a journey", one((processorMicrosPerJourney["all"] ?? 0) / 1_000, 1), { atMost: processorMs }),
        }),
    ...(reportMs === undefined
      ? {}
      : {
          "report at the bank, p50": buildFigure("ms", one(untilReportMs.p50, 0), { atMost: reportMs.p50 }),
          "report at the bank, p99": buildFigure("ms", one(untilReportMs.p99, 0), { atMost: reportMs.p99 }),
        }),
  };
}
