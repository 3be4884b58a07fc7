// One (service, partition) as it lies in the collection `lanes`. `state` is the service's own plain JSON, kept as text so
// that every value comes back as it was; a bigint in it is refused loudly.

import type { LaneDocument } from "./port.ts";

export interface StoredLane {
  readonly _id: string;
  readonly service: string;
  readonly partition: number;
  readonly epoch: number;
  readonly position: bigint;
  readonly state: string;
  /** Absent in documents written before there were builds. */
  readonly build?: number;
  readonly hold?: { readonly id: string; readonly until: Date } | null;
}

export function laneId(service: string, partition: number): string {
  return `${service}:${partition}`;
}

export function newLane(service: string, partition: number): StoredLane {
  return { _id: laneId(service, partition), service, partition, epoch: 1, position: 0n, state: "null", build: 0, hold: null };
}

export function fromStoredLane(stored: StoredLane): LaneDocument {
  const { service, partition, epoch, position, state, build = 0, hold = null } = stored;
  return {
    service,
    partition,
    epoch,
    position,
    state: JSON.parse(state) as unknown,
    build,
    hold: hold === null ? null : { id: hold.id, untilMs: hold.until.getTime() },
  };
}
