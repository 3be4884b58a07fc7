// Dispatcher: delivers reports, debits, credits and outcome reports to banks and scheme connectors, in order per UETR,
// until they are acknowledged or a change stops them.
//
//   record           handler                 effect
//   Dispatch         on-dispatch.ts          a message to deliver
//   DispatchChange   on-dispatch-change.ts   stops a delivery, answered by DeliveryEnded; or retries a refused one
//   DayTimes         on-day-times.ts         when attempts on a day's messages are planned to end
//   DayReconciled    on-day-reconciled.ts    attempts on a day's messages end
//   BankPaused       on-bank-paused.ts       no attempt to the receiver begins
//   BankResumed      on-bank-resumed.ts      the receiver's messages are due
//
// `packages/delivery` delivers; `rules.ts` says what an end means.
//
// #1 Only a journal fact ends a delivery that a transition waits for; never a clock.
// #2 Each end is a DeliveryEnded in the journal and a receipt; both are acknowledged before the message counts as done.

import { listParties } from "@sluice/config";
import { groups, topics, type AnyDecodedRecord } from "@sluice/contracts";
import { startDelivery, readDeliverySource, type ReceiverGateway, type DeliveryBounds, type DeliveryWorker } from "@sluice/delivery";
import type { ServicePorts } from "@sluice/process";
import type { ReceivedRecord } from "@sluice/messaging";
import type { Running } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { createDispatchRules } from "./rules.ts";
import { onDispatchBankPaused } from "./handlers/on-bank-paused.ts";
import { onDispatchBankResumed } from "./handlers/on-bank-resumed.ts";
import { onDayReconciled } from "./handlers/on-day-reconciled.ts";
import { onDayTimes } from "./handlers/on-day-times.ts";
import { onDispatchChange } from "./handlers/on-dispatch-change.ts";
import { onDispatch } from "./handlers/on-dispatch.ts";

export interface DispatcherPorts extends ServicePorts {
  readonly store: Pick<Store, "deliveries" | "partitions" | "endpointHealth">;
  readonly gateway: ReceiverGateway;
  /** Reports that the service cannot go on; the process must end. */
  readonly fail: (reason: unknown) => void;
  /** Overrides the default bounds, in tests. */
  readonly bounds?: Partial<DeliveryBounds>;
}

export async function startDispatcher(ports: DispatcherPorts): Promise<Running> {
  const { store, configuration, serde, fail } = ports;
  return startDelivery({
    ...ports,
    receivers: listParties(configuration),
    parked: store.deliveries,
    partitionStore: store.partitions,
    endpointHealth: store.endpointHealth,
    rules: createDispatchRules(serde, ports.partitionCount),
    group: groups.dispatcher,
    topic: topics.dispatch,
    readKey: readDeliveryKey,
    handle,
    onFailure: fail,
  });
}

function readDeliveryKey(decoded: AnyDecodedRecord): string | null {
  return decoded.name === "Dispatch" || decoded.name === "DispatchChange" ? decoded.value.deliveryKey : null;
}

function handle(decoded: AnyDecodedRecord, record: ReceivedRecord, worker: DeliveryWorker): Promise<void> | string | null {
  if (decoded.name === "Dispatch") return onDispatch(decoded.value, readDeliverySource(record), worker);
  if (decoded.name === "DispatchChange")
    return onDispatchChange(decoded.value, { ...readDeliverySource(record), appendedAtMs: record.appendedAtMs }, worker);
  if (decoded.name === "DayTimes") onDayTimes(decoded.value, worker);
  else if (decoded.name === "DayReconciled") onDayReconciled(decoded.value, worker);
  else if (decoded.name === "BankPaused") onDispatchBankPaused(decoded.value, record, worker);
  else if (decoded.name === "BankResumed") onDispatchBankResumed(decoded.value, record, worker);
  else return `${decoded.name} does not belong into ${topics.dispatch}`;
  return null;
}
