// Formats the report of a console bench as text.

import { formatTable } from "@sluice/environment";
import type { ConsoleBenchReport } from "./bench.ts";

export function formatConsoleReport(report: ConsoleBenchReport): string {
  const { machine, store, transactions, rounds, filledInMs, pages, goal, load, problems, tookMs } = report;
  const rows = pages.map(({ path, firstMs, medianMs, worstMs, bytes }) => [path, firstMs, medianMs, worstMs, bytes]);
  const filled = filledInMs === null ? "filled by an earlier run" : `filled in ${(filledInMs / 1_000).toFixed(0)} s`;
  return [
    `  machine  ${machine.cores} cores (${machine.processor}), Node ${machine.node}, load ${load[0]} before and ${load[1]} after`,
    `  store    ${transactions} transactions in ${store}, ${filled}`,
    `  pages    once, then ${rounds} rounds of all of them, one page after another`,
    "",
    formatTable(["page", "first ms", "median ms", "worst ms", "bytes"], rows),
    "",
    `  goal     ${goal.page} below ${goal.belowMs} ms each time: ${goal.isReached ? "reached" : "not reached"}`,
    "",
    ...problems.map((problem) => `Wrong: ${problem}`),
    `${problems.length === 0 ? "All pages were answered." : "Not all pages were answered."} (${(tookMs / 1_000).toFixed(0)} s)`,
  ].join("\n");
}
