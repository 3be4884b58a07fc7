// Dispatcher: delivers reports, debits, credits and outcome reports to banks and scheme connectors, in order per UETR,
// until they are acknowledged or a change stops them. `packages/delivery` delivers; `rules.ts` says what an end means.
//
// #1 Only a journal fact ends a delivery that a transition waits for; never a clock.
// #2 Each end is a DeliveryEnded in the journal and a receipt; both are acknowledged before the message counts as done.

import { listParties } from "@sluice/config";
import { groups, topics } from "@sluice/contracts";
import {
  checkRecords,
  type DeliveryRecords,
  type DeliveryServicePorts,
  messageOperations,
  pauseRecords,
  readDeliverySource,
  startDeliveryService,
} from "@sluice/delivery";
import type { ConfiguredService } from "@sluice/process";
import type { Store } from "@sluice/store";
import { applyDispatchChange, buildDispatchDelivery, createDispatchRules } from "./rules.ts";

export interface DispatcherPorts extends DeliveryServicePorts {
  readonly store: Pick<Store, "deliveries" | "partitions" | "endpointHealth">;
}

const records: DeliveryRecords = {
  // A message to deliver.
  Dispatch: (dispatch, record, worker) => worker.deliver(buildDispatchDelivery(dispatch, readDeliverySource(record))),
  // Stops a delivery, which DeliveryEnded answers, gives one up, or retries one that was refused or given up.
  DispatchChange: applyDispatchChange,
  // The planned close of a day, at planning and at each extension: attempts on its messages end when the broker clock
  // passes it.
  DayTimes: (marker, _record, worker) => worker.planDay(marker),
  // The reconciliation window of a day has closed: no further attempt on its messages begins. Their stops follow.
  DayReconciled: (marker, record, worker) => worker.reconcileDay(marker, record),
  ...pauseRecords,
  ...checkRecords(messageOperations),
};

export function startDispatcher(ports: DispatcherPorts): Promise<ConfiguredService> {
  return startDeliveryService(ports, {
    group: groups.dispatcher,
    topic: topics.dispatch,
    listReceivers: listParties,
    parked: ports.store.deliveries,
    rules: createDispatchRules(ports.serde, ports.partitionCount),
    records,
    readKey: ({ name, value }) => (name === "Dispatch" || name === "DispatchChange" ? value.deliveryKey : null),
  });
}
