// controlStatus: how far each partition is and which epoch owns it, which banks are paused, and the days that are not
// reconciled.
//
// #1 The lag of a partition counts the records between its position and its end. A position is written at most every
//    100 ms, so a few records are normal; a growing lag is not.

import { topics } from "@sluice/contracts";
import { isPausedAt, type BankState, type Day } from "@sluice/domain";
import type { PartitionEnds, Messaging } from "@sluice/messaging";
import type { PartitionDocument, Store } from "@sluice/store";
import { findBehindSeconds, type BehindPorts } from "./behind.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { rebuildView } from "../processes/rebuild-view.ts";
import { actionView, formatOptionalInstant } from "../views/control-values.ts";

export interface StatusPorts {
  readonly store: Pick<Store, "partitions" | "banks" | "days">;
  readonly time: BehindPorts["time"];
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly partitionCount: number;
  readonly brokerNowMs: () => number | null;
}

/** Services whose partitions are shown, and the topic that each reads. */
const services = { scheduler: topics.journal, dispatcher: topics.dispatch, "event-publisher": topics.events } as const;
type ReadingService = keyof typeof services;
const readingServices = ["scheduler", "dispatcher", "event-publisher"] as const satisfies readonly ReadingService[];

export function controlStatus({ time, store, messaging, partitionCount, brokerNowMs }: StatusPorts): ControlHandler {
  return async () => {
    const loaded = await loadPartitions({ store, messaging, partitionCount });
    const found = loaded.map(({ rebuild: _rebuild, ...one }) => one);
    const [bankStates, days] = await Promise.all([store.banks.all(), store.days.open()]);
    const nowMs = brokerNowMs();
    const behind = await findBehindSeconds({ time, messaging }, found.map(toPlace), nowMs);
    const partitions = found.map((one, index) => ({ ...one, behindSeconds: behind[index] ?? null }));
    const banksPaused = listPaused(bankStates, nowMs);
    const rebuild = rebuildView(loaded, nowMs);
    const body = { schema: "ControlStatus", asOf: formatOptionalInstant(nowMs), partitions, rebuild, banksPaused, days: days.map(dayView) };
    return { kind: "found", body };
  };
}

/** Which banks and connectors an operator has paused, since when and until when. */
export function listPaused(states: readonly BankState[], nowMs: number | null) {
  return states.flatMap(({ bank, since, ...state }) =>
    isPausedAt(state, nowMs ?? 0) && since !== null
      ? [{ bank, since: formatInstant(since.atMs), until: formatOptionalInstant(state.untilMs), ...actionView(since.action) }]
      : [],
  );
}

function toPlace({
  service,
  partition,
  position,
  lag,
}: Pick<Awaited<ReturnType<typeof loadPartitions>>[number], "service" | "partition" | "position" | "lag">) {
  return { topic: services[service], partition, position, lag };
}

/** How far each partition of each service is behind its end. */
export async function loadPartitions({
  store,
  messaging,
  partitionCount,
}: {
  readonly store: Pick<Store, "partitions">;
  readonly messaging: Pick<Messaging, "ends">;
  readonly partitionCount: number;
}) {
  const partitions = [];
  for (const service of readingServices) {
    const topic = services[service];
    const documents = new Map((await store.partitions.list(service)).map((document) => [document.partition, document]));
    const ends = await messaging.ends(Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition })));
    partitions.push(...ends.map((end, partition) => partitionView(service, partition, end, documents.get(partition) ?? null)));
  }
  return partitions;
}

function partitionView(service: ReadingService, partition: number, { logEnd }: PartitionEnds, document: PartitionDocument | null) {
  const position = document?.position ?? 0n;
  // The position may be newer than the end, which was read before it.
  const lag = logEnd > position ? logEnd - position : 0n;
  return { service, partition, position, logEnd, lag, epoch: document?.epoch ?? null, rebuild: document?.rebuild ?? null };
}

function dayView({ key, plan, opened, closed, missed, isVoided }: Day) {
  const ahead = plan.windows.find(({ number }) => !closed.includes(number));
  return {
    day: key,
    isVoided,
    windowOpen: opened.find((number) => !closed.includes(number)) ?? null,
    missed,
    nextOpening: ahead === undefined || opened.includes(ahead.number) ? null : formatInstant(ahead.opensAtMs),
    nextClose: ahead === undefined ? null : formatInstant(ahead.closesAtMs),
    reconciliation: formatInstant(plan.reconciliationAtMs),
  };
}
