// Event publisher: one POST for each event, in order per UETR, until the bank takes it or its deadline has passed.
//
//   record                  handler                         effect
//   TransactionStateEvent   on-transaction-state-event.ts   an event to post
//   EsmStateEvent           on-esm-state-event.ts           an event of class ESM_STATE, behind that of the same state
//   DispatchChange          on-dispatch-change.ts           retries a posting that was given up
//   BankPaused              on-bank-paused.ts               nothing is posted to the bank
//   BankResumed             on-bank-resumed.ts              the bank's postings are due
//
// `packages/delivery` delivers; `rules.ts` says what an end means.
//
// #1 It never writes to the journal: no receiver of events can change an outcome (I13).
// #2 A posting refused for good, or past its deadline, is kept as undelivered, and the next one is sent.
// #3 A bank without an address for events costs nothing: its events are done when they are read.

import { groups, topics, type AnyDecodedRecord } from "@sluice/contracts";
import { startDelivery, readDeliverySource, type ReceiverGateway, type DeliveryBounds, type DeliveryWorker } from "@sluice/delivery";
import type { ServicePorts } from "@sluice/process";
import type { ReceivedRecord } from "@sluice/messaging";
import type { Running } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { createPostingRules } from "./rules.ts";
import { onPostingBankPaused } from "./handlers/on-bank-paused.ts";
import { onPostingBankResumed } from "./handlers/on-bank-resumed.ts";
import { onPostingRedrive } from "./handlers/on-dispatch-change.ts";
import { onEsmStateEvent } from "./handlers/on-esm-state-event.ts";
import { onTransactionStateEvent } from "./handlers/on-transaction-state-event.ts";

export interface EventPublisherPorts extends ServicePorts {
  readonly store: Pick<Store, "postings" | "partitions" | "endpointHealth">;
  readonly gateway: ReceiverGateway;
  /** Reports that the service cannot go on; the process must end. */
  readonly fail: (reason: unknown) => void;
  /** Overrides the default bounds, in tests. */
  readonly bounds?: Partial<DeliveryBounds>;
}

export async function startEventPublisher(ports: EventPublisherPorts): Promise<Running> {
  const { store, configuration, serde, fail } = ports;
  const receivers = new Set(configuration.banks.filter(({ eventsUrl }) => eventsUrl !== null).map(({ id }) => id));
  return startDelivery({
    ...ports,
    receivers: configuration.banks,
    parked: store.postings,
    partitionStore: store.partitions,
    endpointHealth: store.endpointHealth,
    rules: createPostingRules(serde, ports.partitionCount),
    group: groups["event-publisher"],
    topic: topics.events,
    readKey: () => null,
    handle: (decoded, record, worker) => handle(decoded, record, worker, receivers),
    onFailure: fail,
  });
}

function handle(
  decoded: AnyDecodedRecord,
  record: ReceivedRecord,
  worker: DeliveryWorker,
  receivers: ReadonlySet<string>,
): Promise<void> | string | null {
  if (decoded.name === "TransactionStateEvent")
    return onTransactionStateEvent(decoded.value, readDeliverySource(record), worker, receivers);
  if (decoded.name === "EsmStateEvent") return onEsmStateEvent(decoded.value, readDeliverySource(record), worker, receivers);
  if (decoded.name === "DispatchChange") return onPostingRedrive(decoded.value, record.appendedAtMs, worker);
  if (decoded.name === "BankPaused") onPostingBankPaused(decoded.value, record, worker);
  else if (decoded.name === "BankResumed") onPostingBankResumed(decoded.value, record, worker);
  else return `${decoded.name} does not belong into ${topics.events}`;
  return null;
}
