// Formats the report of a delivery bench as text.

import type { DeliveryBenchReport } from "./bench.ts";
import type { HeadOfLineFigures } from "./head-of-line.ts";
import { formatSpread, type Spread } from "../spread.ts";

export function formatDeliveryBenchReport(report: DeliveryBenchReport): string {
  const { isRight, problems, machine, messages, rounds, services, headOfLine, bareLoop, tookMs } = report;
  return [
    `  machine     ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${report.store}`,
    `  messages    ${messages} a round, ${rounds} rounds, ${report.bodyBytes} bytes each, ${report.connections} connections; median (least–most)`,
    `  bare loop   ${formatSpread(bareLoop.requestsPerSecond)} a second; processor ${formatSpread(bareLoop.processorSecondsPer1000)} s for 1,000`,
    ...services.flatMap(({ service, deliveriesPerSecond, ratio, repeated, parked, processorSecondsPer1000 }) => [
      `  ${service}`,
      `    ${formatSpread(deliveriesPerSecond)} a second, ${formatSpread(ratio)} of the bare loop; ${repeated} repeated; through the store: ${parkedText(parked)}`,
      `    processor for 1,000 deliveries, s: ${processorText(processorSecondsPer1000)}`,
    ]),
    ...(headOfLine === null ? [] : [formatHeadOfLine(headOfLine)]),
    "",
    `${isRight ? "All of them, in order." : "VIOLATED:"} (${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

function formatHeadOfLine({ messagesBefore, arrived, p50Ms, p99Ms }: HeadOfLineFigures): string {
  return `  head of line  first messages of ${arrived} banks behind ${messagesBefore} of another: p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

function processorText(processorSecondsPer1000: Readonly<Record<string, Spread>>): string {
  const texts = Object.entries(processorSecondsPer1000).map(([name, spread]) => `${name} ${formatSpread(spread)}`);
  return texts.length === 0 ? "not measured, because all had arrived at the first look; take more messages" : texts.join(", ");
}

function parkedText(parked: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(parked).map(([reason, count]) => `${count} (${reason})`);
  return reasons.length === 0 ? "none" : reasons.join(", ");
}
