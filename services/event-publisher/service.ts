// Event-publisher: one POST for each event, in order per UETR, until the bank takes it or its deadline has passed.
//
//   TransactionStateEvent   on-transaction-state-event.ts   an event to post
//   EsmStateEvent           on-esm-state-event.ts           the same of class ESM_STATE, after the one of the same state
//   DispatchChange          on-dispatch-change.ts           a posting that was given up is tried again
//   BankPaused              on-bank-paused.ts               nothing is posted to the bank
//   BankResumed             on-bank-resumed.ts              its postings are due
//
// How it delivers is packages/delivery; what an end means is delivery-rules.ts.
//
// #1 It never writes to the journal: no receiver of events can change an outcome (I13).
// #2 A posting refused for good, or past its deadline, is kept as undelivered, and the next one is sent.
// #3 A bank without an address for events costs nothing: its events are done when they are read.

import type { Configuration } from "@sluice/config";
import { groups, topics, type AnyDecoded, type Serde } from "@sluice/contracts";
import { startDeliveryLanes, placeOf, type BankGateway, type DeliveryBounds, type LaneDeliveries } from "@sluice/delivery";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { postingRules } from "./delivery-rules.ts";
import { onBankPaused } from "./on-bank-paused.ts";
import { onBankResumed } from "./on-bank-resumed.ts";
import { onDispatchChange } from "./on-dispatch-change.ts";
import { onEsmStateEvent } from "./on-esm-state-event.ts";
import { onTransactionStateEvent } from "./on-transaction-state-event.ts";

export interface EventPublisherPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Pick<Store, "postings" | "lanes" | "addresses">;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly gateway: BankGateway;
  /** Partitions of every topic. */
  readonly lanes: number;
  /** The service cannot go on; the process must end. */
  readonly fail: (reason: unknown) => void;
  /** Smaller ones for tests. */
  readonly bounds?: Partial<DeliveryBounds>;
}

export async function startEventPublisher(ports: EventPublisherPorts): Promise<Running> {
  const { store, configuration, serde, fail } = ports;
  const receivers = new Set(configuration.banks.filter(({ eventsUrl }) => eventsUrl !== null).map(({ id }) => id));
  return startDeliveryLanes({
    ...ports,
    receivers: configuration.banks,
    parked: store.postings,
    laneStore: store.lanes,
    addresses: store.addresses,
    rules: postingRules(serde, ports.lanes),
    group: groups["event-publisher"],
    topic: topics.events,
    keyOf: () => null,
    handle: (decoded, record, lane) => handle(decoded, record, lane, receivers),
    failed: fail,
  });
}

function handle(
  decoded: AnyDecoded,
  record: ReceivedRecord,
  lane: LaneDeliveries,
  receivers: ReadonlySet<string>,
): Promise<void> | string | null {
  if (decoded.name === "TransactionStateEvent") return onTransactionStateEvent(decoded.value, placeOf(record), lane, receivers);
  if (decoded.name === "EsmStateEvent") return onEsmStateEvent(decoded.value, placeOf(record), lane, receivers);
  if (decoded.name === "DispatchChange") return onDispatchChange(decoded.value, record.appendedAtMs, lane);
  if (decoded.name === "BankPaused") onBankPaused(decoded.value, record, lane);
  else if (decoded.name === "BankResumed") onBankResumed(decoded.value, record, lane);
  else return `${decoded.name} does not belong into ${topics.events}`;
  return null;
}
