// A service that delivers: its rules, its receivers, and a table with the work of each record of its topic.
//
// #1 A record that the table does not name does not belong in the topic, and is dead-lettered.
// #2 An operator's record that is not signed as it must be has no effect.

import { type Configuration, type ConfiguredParty, createLiveConfiguration } from "@sluice/config";
import { type AnyDecodedRecord, type DecodedRecord, isOperatorRecord, type RecordName, type Records } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import type { ConfiguredService, ServicePorts } from "@sluice/process";
import { openOperatorJudge } from "@sluice/signatures";
import type { ParkedStore, Store } from "@sluice/store";
import type { DeliveryBounds } from "./bounds.ts";
import type { DeliveryWorker } from "./engine.ts";
import { deliveryOperations } from "./endpoint/operation-addresses.ts";
import type { Operation, ReceiverGateway } from "./port.ts";
import type { DeliveryRules } from "./rules.ts";
import { startDelivery } from "./start-delivery.ts";

export interface DeliveryServicePorts extends ServicePorts {
  readonly store: Pick<Store, "partitions" | "endpointHealth">;
  readonly gateway: ReceiverGateway;
  /** Reports that the service cannot go on; the process must end. */
  readonly fail: (reason: unknown) => void;
  /** Overrides the default bounds, in tests. */
  readonly bounds?: Partial<DeliveryBounds>;
}

export interface DeliveryService {
  readonly group: string;
  readonly topic: string;
  /** Lists the receivers of a configuration, also of one that replaces another. */
  listReceivers(configuration: Configuration): readonly ConfiguredParty[];
  readonly parked: ParkedStore;
  readonly rules: DeliveryRules;
  readonly records: DeliveryRecords;
  /** Reads the delivery key of a record that has one; null means the key that it has in the topic. */
  readKey(decoded: AnyDecodedRecord): string | null;
}

/** Starts the work of a record and returns it; without a promise the work is done at once. */
type RecordWork<N extends RecordName> = (value: Records[N], record: ReceivedRecord, worker: DeliveryWorker) => Promise<void> | void;
export type DeliveryRecords = { readonly [N in RecordName]?: RecordWork<N> };

/** An operator's pause: no attempt to the receiver begins until it is resumed; then everything parked for it is due. */
export const pauseRecords: DeliveryRecords = {
  BankPaused: (marker, record, worker) => worker.pauseReceiver(marker, record),
  BankResumed: (marker, record, worker) => worker.resumeReceiver(marker, record),
};

/** An operator's check of the addresses of these operations: a call without a message. */
export function checkRecords(operations: readonly Operation[]): DeliveryRecords {
  return { EndpointCheckRequested: (request, record, worker) => worker.checkReceiver(request, record, operations) };
}

export const messageOperations: readonly Operation[] = deliveryOperations.filter((operation) => operation !== "events");

export async function startDeliveryService(ports: DeliveryServicePorts, service: DeliveryService): Promise<ConfiguredService> {
  const { store, fail } = ports;
  const live = createLiveConfiguration(ports.configuration);
  const operators = openOperatorJudge({ ...ports, configuration: live.view }, service.rules.service);
  const countsForOperator = (record: ReceivedRecord, kind: string): boolean => operators.counts(record, kind);
  const running = await startDelivery({
    ...ports,
    ...service,
    receivers: service.listReceivers(ports.configuration),
    partitionStore: store.partitions,
    endpointHealth: store.endpointHealth,
    readKey: (decoded) => service.readKey(decoded),
    countsForOperator,
    // #2
    handle: (decoded, record, worker) =>
      isOperatorRecord(decoded) && !countsForOperator(record, decoded.name) ? null : startWork(service, decoded, record, worker),
    fail,
  });
  return {
    replaceConfiguration(next) {
      live.replace(next);
      running.replaceReceivers(service.listReceivers(next));
    },
    readiness: () => running.readiness(),
    stop: () => running.stop(),
  };
}

function startWork<N extends RecordName>(
  { records, topic }: DeliveryService,
  { name, value }: DecodedRecord<N>,
  record: ReceivedRecord,
  worker: DeliveryWorker,
): Promise<void> | string | null {
  const start: RecordWork<N> | undefined = records[name];
  return start === undefined ? `${name} does not belong in ${topic}` : (start(value, record, worker) ?? null);
}
