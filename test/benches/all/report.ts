// Formats the report of all benches as text: the table of goals.

import { formatTable } from "@sluice/environment";
import { formatSpread } from "../spread.ts";
import type { AllBenchesReport } from "./bench.ts";

export function formatAllReport({ isRight, problems, machine, goals, reports, tookMs }: AllBenchesReport): string {
  const rows = Object.entries(goals).map(([name, { unit, value, goal, isReached }]) => {
    return [name, unit, formatSpread(value), goal, isReached === true ? "yes" : "no"];
  });
  return [
    `  machine  ${machine.cores} cores (${machine.processor}), Node ${machine.node}`,
    `  benches  ${Object.keys(reports).join(", ")}; median (least–most)`,
    "",
    formatTable(["figure", "unit", "value", "goal", "reached"], rows),
    "",
    `${isRight ? "All benches ran to their end." : "NOT RIGHT:"} (${(tookMs / 60_000).toFixed(0)} min)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}
