// What all parts of the engine share: the ports, the bounds, and the state that belongs to no single partition.

import type { ConfiguredParty } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { createPartitionWatch, type LogIdentity, type PartitionEnds, type PartitionWatch, type Producer } from "@sluice/messaging";
import type { Logger, Random, Time, Tracer } from "@sluice/kernel";
import type { EndpointHealthStore, PartitionStore, ParkedStore } from "@sluice/store";
import type { DeliveryBounds } from "./bounds.ts";
import type { DeliveryMetrics } from "./metrics.ts";
import type { DeliveryRules } from "./rules.ts";
import type { EndpointEvents } from "./endpoint/endpoint.ts";
import { Endpoints } from "./endpoint/endpoints.ts";
import { ProcessLimit } from "./endpoint/retry-places.ts";
import { findReceiverChanges } from "./endpoint/receiver-changes.ts";
import { TimeoutGroup } from "./timeout-group.ts";
import { createParkedCalls, type ParkedCalls } from "./backlog/parked-calls.ts";
import type { ReceiverGateway } from "./port.ts";

export interface EnginePorts {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  readonly gateway: ReceiverGateway;
  readonly producer: Pick<Producer, "send">;
  readonly parked: ParkedStore;
  readonly partitionStore: PartitionStore;
  readonly endpointHealth: EndpointHealthStore;
  /** The broker clock: the newest append time seen, carried forward by the monotonic clock. */
  readonly brokerClock: { nowMs(): number; observe(appendedAtMs: number): void };
  /** Banks and scheme connectors. */
  readonly receivers: readonly ConfiguredParty[];
  readonly rules: DeliveryRules;
  readonly serde: Pick<Serde, "learn">;
  heartbeatAgeMs(): number;
  /** Reports that the service cannot go on; its process must end. */
  fail(reason: unknown): void;
  /** Which topic the records come from. */
  logIdentity(): Promise<LogIdentity>;
  /** Reads the first and the next offset of a partition. */
  partitionEnds(partition: number): Promise<PartitionEnds>;
}

export interface EngineContext extends EnginePorts {
  readonly bounds: DeliveryBounds;
  readonly metrics: DeliveryMetrics;
  readonly parkedCalls: ParkedCalls;
  /** Looks at the store while partitions are owned. */
  readonly watch: PartitionWatch;
  receiver(id: string): ConfiguredParty | null;
  /** Takes other receivers over. Returns the ids of those that were added, removed or changed. */
  replaceReceivers(next: readonly ConfiguredParty[]): readonly string[];
  readonly endpoints: Endpoints;
  /** The parked messages that the process has in hand, and its probes. */
  readonly retryLimit: ProcessLimit;
  readonly probeLimit: ProcessLimit;
  /** One timeout of `answerWaitMaxMs` for each running first attempt. */
  readonly answerTimeouts: TimeoutGroup;
  /** Tells whether the process was asked to end; from then on no parked message is retried. */
  isStopping(): boolean;
}

export function createEngineContext(
  ports: EnginePorts,
  bounds: DeliveryBounds,
  metrics: DeliveryMetrics,
  isStopping: () => boolean,
  events: Omit<EndpointEvents, "changed">,
): EngineContext {
  let receivers: ReadonlyMap<string, ConfiguredParty> = new Map(ports.receivers.map((receiver) => [receiver.id, receiver]));
  const retryLimit = new ProcessLimit(bounds.retriesMax);
  const endpoints = new Endpoints({ ...ports, service: ports.rules.service, metrics, events, retryLimit });
  return {
    ...ports,
    get receivers() {
      return [...receivers.values()];
    },
    retryLimit,
    probeLimit: new ProcessLimit(bounds.probesMax),
    heartbeatAgeMs: () => ports.heartbeatAgeMs(),
    partitionEnds: (partition) => ports.partitionEnds(partition),
    logIdentity: () => ports.logIdentity(),
    fail: (reason) => ports.fail(reason),
    bounds,
    metrics,
    parkedCalls: createParkedCalls({
      store: ports.parked,
      messagesMax: bounds.bulkMessagesMax,
      logger: ports.logger,
      staleWrites: metrics.staleWrites,
    }),
    watch: createPartitionWatch({ service: ports.rules.service, store: ports.partitionStore, time: ports.time, logger: ports.logger }),
    isStopping,
    answerTimeouts: new TimeoutGroup(ports.time, bounds.answerWaitMaxMs),
    receiver: (id) => receivers.get(id) ?? null,
    replaceReceivers(next) {
      const changes = findReceiverChanges(receivers, next);
      ({ receivers } = changes);
      for (const id of changes.changed) endpoints.replace(id, receivers.get(id) ?? null);
      return changes.changed;
    },
    endpoints,
  };
}
