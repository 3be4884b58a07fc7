// What every part of the engine stands on: the ports, the bounds, and what is shared by all lanes.

import type { Bank } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { LogEnds, OutgoingRecord, Producer } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import type { LaneStore, ParkedStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import { BankSlots } from "./bank-slots.ts";
import type { DeliveryBounds } from "./bounds.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import type { DeliveryRules } from "./delivery.ts";
import type { DeliveryLane } from "./lane.ts";
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
  /** Newest append time seen, carried on by the monotonic clock. */
  readonly agreed: { nowMs(): number; observe(appendedAtMs: number): void };
  readonly banks: readonly Bank[];
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
  bank(id: string): Bank | null;
  slots(bank: string): BankSlots;
  /** True from the moment the process is asked to end: nothing parked is tried any more. */
  isStopping(): boolean;
}

/** A bank that is not configured has no address: one attempt at a time finds that out. */
const slotsOfUnknown = 1;

export function createContext(
  ports: EnginePorts,
  bounds: DeliveryBounds,
  metrics: DeliveryMetrics,
  isStopping: () => boolean,
): EngineContext {
  const banks = new Map(ports.banks.map((bank) => [bank.id, bank]));
  const slots = new Map<string, BankSlots>();
  return {
    ...ports,
    heartbeatAgeMs: () => ports.heartbeatAgeMs(),
    logEnds: (partition) => ports.logEnds(partition),
    bounds,
    metrics,
    parkedCalls: createParkedCalls(ports.parked, bounds.bulkMessagesMax),
    isStopping,
    bank: (id) => banks.get(id) ?? null,
    slots(id) {
      const known = slots.get(id);
      if (known !== undefined) return known;
      const made = new BankSlots(ports.time, banks.get(id)?.connections ?? slotsOfUnknown);
      slots.set(id, made);
      return made;
    },
  };
}

/** Appends records of an end; whoever called goes on only when the log has acknowledged all. */
export async function append(context: EngineContext, lane: DeliveryLane, what: string, records: readonly OutgoingRecord[]): Promise<void> {
  if (records.length === 0) return;
  const appended = await lane.ownership.untilDone(what, () => context.producer.send(records));
  for (const { appendedAtMs } of appended) context.agreed.observe(appendedAtMs);
}
