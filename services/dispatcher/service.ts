// Dispatcher: reports, debits, credits and outcomes leave for their banks and scheme connectors, in order per UETR, until they are
// acknowledged or a change stops them.
//
//   Dispatch         on-dispatch.ts          a message to deliver
//   DispatchChange   on-dispatch-change.ts   its delivery stops, answered by DeliveryEnded; or a refused one is tried again
//   DayTimes         on-day-times.ts         when attempts on a day's messages are planned to end
//   DayReconciled    on-day-reconciled.ts    they end
//   BankPaused       on-bank-paused.ts       no attempt to the bank begins
//   BankResumed      on-bank-resumed.ts      its messages are due
//
// How it delivers is packages/delivery; what an end means is delivery-rules.ts.
//
// #1 Only a journal fact ends a delivery that a transition waits for; never a clock.
// #2 Each end is a DeliveryEnded in the journal and a receipt, acknowledged before the message counts as done.

import { partiesOf, type Configuration } from "@sluice/config";
import { groups, topics, type AnyDecoded, type Serde } from "@sluice/contracts";
import { startDeliveryLanes, placeOf, type BankGateway, type DeliveryBounds, type LaneDeliveries } from "@sluice/delivery";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { dispatchRules } from "./delivery-rules.ts";
import { onBankPaused } from "./on-bank-paused.ts";
import { onBankResumed } from "./on-bank-resumed.ts";
import { onDayReconciled } from "./on-day-reconciled.ts";
import { onDayTimes } from "./on-day-times.ts";
import { onDispatchChange } from "./on-dispatch-change.ts";
import { onDispatch } from "./on-dispatch.ts";

export interface DispatcherPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Pick<Store, "deliveries" | "lanes" | "addresses">;
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

export async function startDispatcher(ports: DispatcherPorts): Promise<Running> {
  const { store, configuration, serde, fail } = ports;
  return startDeliveryLanes({
    ...ports,
    receivers: partiesOf(configuration),
    parked: store.deliveries,
    laneStore: store.lanes,
    addresses: store.addresses,
    rules: dispatchRules(serde, ports.lanes),
    group: groups.dispatcher,
    topic: topics.dispatch,
    keyOf,
    handle,
    failed: fail,
  });
}

function keyOf(decoded: AnyDecoded): string | null {
  return decoded.name === "Dispatch" || decoded.name === "DispatchChange" ? decoded.value.deliveryKey : null;
}

function handle(decoded: AnyDecoded, record: ReceivedRecord, lane: LaneDeliveries): Promise<void> | string | null {
  if (decoded.name === "Dispatch") return onDispatch(decoded.value, placeOf(record), lane);
  if (decoded.name === "DispatchChange")
    return onDispatchChange(decoded.value, { ...placeOf(record), appendedAtMs: record.appendedAtMs }, lane);
  if (decoded.name === "DayTimes") onDayTimes(decoded.value, lane);
  else if (decoded.name === "DayReconciled") onDayReconciled(decoded.value, lane);
  else if (decoded.name === "BankPaused") onBankPaused(decoded.value, record, lane);
  else if (decoded.name === "BankResumed") onBankResumed(decoded.value, record, lane);
  else return `${decoded.name} does not belong into ${topics.dispatch}`;
  return null;
}
