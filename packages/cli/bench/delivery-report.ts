// What a bench of deliveries tells a person.

import type { DeliveryBenchReport } from "./delivery.ts";
import { spreadText } from "./spread.ts";

export function formatDeliveryReport(report: DeliveryBenchReport): string {
  const { isRight, problems, machine, messages, rounds, services, bareLoop, tookMs } = report;
  return [
    `  machine     ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${report.store}`,
    `  messages    ${messages} a round, ${rounds} rounds, ${report.bodyBytes} bytes each, ${report.connections} connections; median (least–most)`,
    `  bare loop   ${spreadText(bareLoop.requestsPerSecond)} a second; processor ${spreadText(bareLoop.processorSecondsPer1000)} s for 1,000`,
    ...services.flatMap(({ service, deliveriesPerSecond, ratio, repeated, parked, processorSecondsPer1000 }) => [
      `  ${service}`,
      `    ${spreadText(deliveriesPerSecond)} a second, ${spreadText(ratio)} of the bare loop; ${repeated} repeated; through the store: ${parkedText(parked)}`,
      `    processor for 1,000 deliveries, s: ${Object.entries(processorSecondsPer1000)
        .map(([name, spread]) => `${name} ${spreadText(spread)}`)
        .join(", ")}`,
    ]),
    "",
    `${isRight ? "All of them, in order." : "VIOLATED:"} (${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

function parkedText(parked: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(parked).map(([reason, count]) => `${count} (${reason})`);
  return reasons.length === 0 ? "none" : reasons.join(", ");
}
