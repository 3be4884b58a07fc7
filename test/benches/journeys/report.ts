// Formats the report of a journeys bench as text.

import type { JourneysBenchReport, JourneysStep } from "./bench.ts";

export function formatJourneysReport({
  isRight,
  problems,
  machine,
  store,
  seconds,
  sustained,
  steps,
  tookMs,
}: JourneysBenchReport): string {
  return [
    `  machine     ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${store}`,
    `  load        whole on-us journeys, ${seconds} s at each rate, latency from the planned instant of the post`,
    ...steps.map(stepText),
    "",
    sustained === null ? "  No rate was sustained." : `  Sustained: ${sustained.ratePerSecond} journeys a second.`,
    ...(sustained === null ? [] : [`  Processor for a journey, µs: ${processorText(sustained)}`]),
    "",
    `${isRight ? "All journeys ended." : "NOT ALL ENDED:"} (${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

function stepText({ ratePerSecond, isSustained, untilReportMs, untilCompletedMs, completed, started, notTaken }: JourneysStep): string {
  const latencies = `report p50 ${untilReportMs.p50} ms, p99 ${untilReportMs.p99} ms; completed p50 ${untilCompletedMs.p50} ms, p99 ${untilCompletedMs.p99} ms`;
  const ended = `${completed} of ${started} ended${notTaken > 0 ? `, ${notTaken} posts sent again` : ""}`;
  return `  ${String(ratePerSecond).padStart(5)}/s     ${isSustained ? "sustained" : "not sustained"}: ${latencies}; ${ended}`;
}

function processorText({ processorMicrosPerJourney }: JourneysStep): string {
  return Object.entries(processorMicrosPerJourney)
    .map(([name, micros]) => `${name} ${micros}`)
    .join(", ");
}
