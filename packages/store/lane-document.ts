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
}

export function laneId(service: string, partition: number): string {
  return `${service}:${partition}`;
}

export function newLane(service: string, partition: number): StoredLane {
  return { _id: laneId(service, partition), service, partition, epoch: 1, position: 0n, state: "null" };
}

export function fromStoredLane(stored: StoredLane): LaneDocument {
  const { service, partition, epoch, position, state } = stored;
  return { service, partition, epoch, position, state: JSON.parse(state) as unknown };
}
