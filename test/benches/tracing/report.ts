// Formats the report of a tracing bench as text.

import { formatSpread } from "../spread.ts";
import type { TracingBenchReport } from "./bench.ts";
import { chanceOfLuck, type Variant, variants } from "./compare.ts";

const texts: Readonly<Record<Variant, string>> = {
  off: "without a collector",
  none: "with one, none traced",
  hundredth: "one in a hundred traced",
  all: "each traced",
};
/** What one in a hundred may cost. */
const hundredthMaxPercent = 3;

export function formatTracingReport(report: TracingBenchReport): string {
  const { machine, cost, overNone, rounds, noise, noneOverOff, offApart, isRight, problems, spans, turns, tookMs } = report;
  return [
    `  machine     ${machine.cores} cores (${machine.processor}), Node ${machine.node}`,
    "  a journey   µs of processor time of the five services, median (least–most) of the turns",
    ...variants.map((variant) => `  ${texts[variant].padEnd(24)}${formatSpread(cost[variant])}`),
    "",
    "  Percent more than with none traced, in the same round of the same processes: median (least–most) of the rounds",
    `  ${texts.hundredth.padEnd(24)}${formatSpread(overNone.hundredth)}   ${rounds.hundredth.join("  ")}`,
    `  ${texts.all.padEnd(24)}${formatSpread(overNone.all)}   ${rounds.all.join("  ")}`,
    `  noise: two turns with none traced lie ${formatSpread(noise)} % apart`,
    `  ${judge(rounds.hundredth)}`,
    `  With a collector and none traced: ${noneOverOff} % more than without one, by other processes. Turns without one lie ${offApart} % apart.`,
    "",
    `${isRight ? "All journeys ended, and the right ones were traced." : "NOT RIGHT:"} (${turns.length} turns, ${spans} spans, ${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

function judge(rounds: readonly number[]): string {
  const chance = chanceOfLuck(rounds, hundredthMaxPercent);
  return chance === null
    ? `Not every round shows that one in a hundred costs less than ${hundredthMaxPercent} %: more rounds, or a quieter machine.`
    : `One in a hundred costs less than ${hundredthMaxPercent} % in each of ${rounds.length} rounds: 1 in ${1 / chance} if it were luck.`;
}
