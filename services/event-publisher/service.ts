// Event publisher: one POST for each event, in order per UETR, until the bank takes it or its deadline has passed.
// `packages/delivery` delivers; `rules.ts` says what an end means.
//
// #1 It never writes to the journal: no receiver of events can change an outcome (I13).
// #2 A posting refused for good, or past its deadline, is kept as undelivered, and the next one is sent.
// #3 A bank without an address for events costs nothing: its events are done when they are read.

import { groups, topics } from "@sluice/contracts";
import {
  checkRecords,
  type DeliveryRecords,
  type DeliveryServicePorts,
  pauseRecords,
  readDeliverySource,
  startDeliveryService,
} from "@sluice/delivery";
import type { ConfiguredService } from "@sluice/process";
import type { Store } from "@sluice/store";
import { applyPostingChange, buildEsmPostingDelivery, buildPostingDelivery, createPostingRules } from "./rules.ts";

export interface EventPublisherPorts extends DeliveryServicePorts {
  readonly store: Pick<Store, "postings" | "partitions" | "endpointHealth">;
}

export async function startEventPublisher(ports: EventPublisherPorts): Promise<ConfiguredService> {
  let receivers = listEventReceivers(ports.configuration);
  const running = await startDeliveryService(ports, {
    group: groups["event-publisher"],
    topic: topics.events,
    listReceivers: ({ banks }) => banks,
    parked: ports.store.postings,
    rules: createPostingRules(ports.serde, ports.partitionCount),
    records: listRecords((bank) => receivers.has(bank)),
    readKey: () => null,
  });
  return {
    ...running,
    replaceConfiguration(next) {
      receivers = listEventReceivers(next);
      running.replaceConfiguration(next);
    },
  };
}

/** The ids of the banks that take events. */
function listEventReceivers({ banks }: EventPublisherPorts["configuration"]): ReadonlySet<string> {
  return new Set(banks.flatMap(({ id, eventsUrl }) => (eventsUrl === null ? [] : [id])));
}

function listRecords(takesEvents: (bank: string) => boolean): DeliveryRecords {
  return {
    // An event to post.
    TransactionStateEvent: (event, record, worker) =>
      takesEvents(event.bank) ? worker.deliver(buildPostingDelivery(event, readDeliverySource(record))) : undefined,
    // An event of class ESM_STATE, behind the one of the same state. Only banks that ask for the class have any.
    EsmStateEvent: (event, record, worker) =>
      takesEvents(event.bank) ? worker.deliver(buildEsmPostingDelivery(event, readDeliverySource(record))) : undefined,
    // Retries a posting that was given up, or gives one up.
    DispatchChange: applyPostingChange,
    ...pauseRecords,
    ...checkRecords(["events"]),
  };
}
