// Formats the report of a starts bench as text.

import { formatTable } from "@sluice/environment";
import { formatSpread } from "../spread.ts";
import type { StartsBenchReport } from "./bench.ts";

export function formatStartsReport({ machine, rounds, services, load, tookMs }: StartsBenchReport): string {
  const head = ["service", "profile", "listening ms", "of it processor ms", "ready ms", "listening without the cache ms"];
  const rows = services.map(({ service, profile, listeningMs, processorMs, readyMs, listeningWithoutCacheMs }) => [
    service,
    profile,
    ...[listeningMs, processorMs, readyMs, listeningWithoutCacheMs].map(formatSpread),
  ]);
  return [
    `  machine  ${machine.cores} cores (${machine.processor}), Node ${machine.node}, load ${load[0]} before and ${load[1]} after`,
    `  starts   ${rounds} of each service with the cache and without, one after another: median (least–most)`,
    "",
    formatTable(head, rows),
    "",
    `All started. (${(tookMs / 1_000).toFixed(0)} s)`,
  ].join("\n");
}
