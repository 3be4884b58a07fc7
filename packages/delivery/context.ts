// What every part of the engine stands on: the ports, the bounds, and what is shared by all lanes.

import type { Party } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { LogEnds, Producer } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import type { AddressStore, LaneStore, ParkedStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { DeliveryBounds } from "./bounds.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import type { DeliveryRules } from "./delivery.ts";
import type { DestinationEvents } from "./destination.ts";
import { Destinations } from "./destinations.ts";
import { EqualWaits } from "./equal-waits.ts";
import { createParkedCalls, type ParkedCalls } from "./parked-calls.ts";
import type { BankGateway } from "./port.ts";

export interface EnginePorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly gateway: BankGateway;
  readonly producer: Pick<Producer, "send">;
  readonly parked: ParkedStore;
  readonly lanes: LaneStore;
  readonly addresses: AddressStore;
  /** Newest append time seen, carried on by the monotonic clock. */
  readonly agreed: { nowMs(): number; observe(appendedAtMs: number): void };
  /** Banks and scheme connectors. */
  readonly receivers: readonly Party[];
  readonly rules: DeliveryRules;
  readonly serde: Pick<Serde, "learn">;
  heartbeatAgeMs(): number;
  /** Both ends of a lane's partition, as they are now. */
  logEnds(partition: number): Promise<LogEnds>;
}

export interface EngineContext extends EnginePorts {
  readonly bounds: DeliveryBounds;
  readonly metrics: DeliveryMetrics;
  readonly parkedCalls: ParkedCalls;
  receiver(id: string): Party | null;
  readonly destinations: Destinations;
  /** Of `answerWaitMaxMs`. */
  readonly answerWaits: EqualWaits;
  /** True from the moment the process is asked to end: nothing parked is tried any more. */
  isStopping(): boolean;
}

export function createContext(
  ports: EnginePorts,
  bounds: DeliveryBounds,
  metrics: DeliveryMetrics,
  isStopping: () => boolean,
  events: Omit<DestinationEvents, "changed">,
): EngineContext {
  const receivers = new Map(ports.receivers.map((receiver) => [receiver.id, receiver]));
  return {
    ...ports,
    heartbeatAgeMs: () => ports.heartbeatAgeMs(),
    logEnds: (partition) => ports.logEnds(partition),
    bounds,
    metrics,
    parkedCalls: createParkedCalls(ports.parked, bounds.bulkMessagesMax),
    isStopping,
    answerWaits: new EqualWaits(ports.time, bounds.answerWaitMaxMs),
    receiver: (id) => receivers.get(id) ?? null,
    destinations: new Destinations({ ...ports, service: ports.rules.service, metrics, events }),
  };
}
