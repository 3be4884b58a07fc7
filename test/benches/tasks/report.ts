// Formats the report of the three tasks as text.

import { formatTable } from "@sluice/environment";
import type { TasksBenchReport } from "./bench.ts";

export function formatTasksReport({ machine, tasks, load, problems, tookMs }: TasksBenchReport): string {
  const rows = tasks.map(({ name, clicks, seconds, said }) => [name, clicks, seconds, said]);
  return [
    `  machine  ${machine.cores} cores (${machine.processor}), Node ${machine.node}, load ${load[0]} before and ${load[1]} after`,
    "",
    formatTable(["task", "clicks", "seconds", "what the console said"], rows),
    "",
    ...problems.map((problem) => `Wrong: ${problem}`),
    `${problems.length === 0 ? "All three are done." : "Not all are done."} (${(tookMs / 1_000).toFixed(0)} s)`,
  ].join("\n");
}
