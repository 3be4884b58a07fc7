// How old an answer of the group's coordinator is (trouble W). kafkajs does not say when it asked.
//
// #1 The payload of a heartbeat's request is that of its event too. A heartbeat that fails because the group rebalances
//    is known by its error.
// #2 A join's event follows the answer to the question for its assignment, and names only the member.

import type { Broker } from "kafkajs/src/broker/index.js";

/** Monotonic milliseconds by payload or error (#1). */
const heartbeats = new WeakMap<object, number>();
/** #2: monotonic milliseconds by member, until its join's event. */
const joins = new Map<string, number>();

/** Notes when the coordinator is asked, from now on. */
export function timeQuestions(broker: Broker): void {
  const { heartbeat, syncGroup } = broker;
  broker.heartbeat = async function (this: Broker, asked) {
    const atMs = performance.now();
    heartbeats.set(asked, atMs);
    try {
      return await heartbeat.call(this, asked);
    } catch (error) {
      if (error instanceof Error) heartbeats.set(error, atMs);
      throw error;
    }
  };
  broker.syncGroup = async function (this: Broker, asked) {
    const atMs = performance.now();
    const answer = await syncGroup.call(this, asked);
    joins.set(asked.memberId, atMs);
    return answer;
  };
}

/** Makes an event as old as the heartbeat that failed with the error. */
export function ageAs(event: object, error: Error): void {
  heartbeats.set(event, heartbeats.get(error) ?? Number.NEGATIVE_INFINITY);
}

/** Milliseconds since the coordinator was asked for what the event of a heartbeat or a join tells. */
export function sinceAskedMs(event: { readonly memberId: string }): number {
  const atMs = heartbeats.get(event) ?? joins.get(event.memberId) ?? Number.NEGATIVE_INFINITY;
  joins.delete(event.memberId);
  return performance.now() - atMs;
}
