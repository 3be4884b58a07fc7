// The day of a receiver's addresses, as the control API answers.

import type { Configuration } from "@sluice/config";
import { formatInstant } from "../../http/bank-answer.ts";
import { formatOptionalInstant } from "../../views/control-values.ts";
import type { ConfiguredReceiver } from "../../views/receiver-status.ts";
import type { AddressHistory } from "./address-history.ts";

export function historyView(
  history: AddressHistory,
  { banks, connectors }: Pick<Configuration, "banks" | "connectors">,
  bank: string,
  nowMs: number,
) {
  const receivers: readonly ConfiguredReceiver[] = [...banks, ...connectors];
  const receiver = receivers.find(({ id }) => id === bank) ?? null;
  const { latencies, limits } = history.of(bank, nowMs);
  return {
    since: formatOptionalInstant(history.sinceMs(nowMs)),
    isWhole: history.isWhole,
    addresses: latencies.map(({ operation, slots }) => ({
      operation,
      service: operation === events ? "event-publisher" : "dispatcher",
      url: receiver === null ? null : findUrl(receiver, operation),
      slots: slots.map(({ fromMs, ...slot }) => ({ from: formatInstant(fromMs), ...slot })),
    })),
    limits: limits.map(({ service, origin, slots }) => ({
      service,
      address: origin,
      connections: receiver?.connections ?? null,
      slots: slots.map(({ fromMs, concurrencyMin, ...slot }) => ({ from: formatInstant(fromMs), concurrency: concurrencyMin, ...slot })),
    })),
  };
}

/** The operation that receipts of postings name. */
const events = "events";

function findUrl({ eventsUrl = null, operationUrls, baseUrl }: ConfiguredReceiver, operation: string): string | null {
  return operation === events ? eventsUrl : (new Map(Object.entries(operationUrls)).get(operation) ?? baseUrl);
}
