// The heartbeats of a member of a group, on a timer of their own. kafkajs sends them from its fetch loop.
//
// #1 All members send heartbeats at the same moments of the clock, at whole multiples of the interval. So all learn of
//    a join at the same time, and none stands still until the last one has heard of it.
// #2 The answer that asks the member to join again ends the fetches that are under way: a join does not wait for them.
//    What such a fetch brings later is dropped, and its errors change nothing.
// #3 The next heartbeat is sent once the last one is answered.
// #4 A consumer that stops waits for no fetch either: the partitions that it leaves are taken over sooner.
// #5 A generation may last for months. Only the fetches that are under way are known; one that has ended leaves nothing
//    behind, as it would in a race with one promise of the whole generation.

import type { FetchedBatch } from "kafkajs/src/consumer/batch.js";
import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
import { isAtRest } from "./activity.ts";

/** Milliseconds between two heartbeats (U). A member that leaves is missed for that long at most. */
export const heartbeatIntervalMs = 125;
/** The same while a member rests (`activity.ts`). A multiple, so that members at rest beat when others do. */
const restHeartbeatIntervalMs = 500;

interface Beating {
  isOver: boolean;
  timer: NodeJS.Timeout | null;
  /** Ends the fetches that are under way (#5). */
  readonly fetching: Set<PromiseWithResolvers<readonly FetchedBatch[]>>;
  /** Ends a fetch: with the answer that asks the member to join again, or with nothing where the consumer stops. */
  end: ((fetch: PromiseWithResolvers<readonly FetchedBatch[]>) => void) | null;
}

const beatings = new WeakMap<ConsumerGroup, Beating>();

/** #1: milliseconds until the next whole multiple of the interval. */
export function untilNextBeatMs(nowMs: number, intervalMs: number): number {
  return intervalMs - (nowMs % intervalMs);
}

/** Begins after a join; `wake` ends the sleeps of fetches that have nothing to ask for. */
export function beginHeartbeats(group: ConsumerGroup, wake: () => void): void {
  endHeartbeats(group);
  const beating: Beating = { isOver: false, timer: null, fetching: new Set(), end: null };
  beatings.set(group, beating);
  beatLater(group, beating, wake);
}

/** Ends before the next join. */
export function endHeartbeats(group: ConsumerGroup): void {
  const beating = beatings.get(group);
  if (beating === undefined) return;
  beating.isOver = true;
  clearTimeout(beating.timer ?? undefined);
}

/** #4: ends for good. */
export function stopHeartbeats(group: ConsumerGroup): void {
  endHeartbeats(group);
  const beating = beatings.get(group);
  if (beating !== undefined) endFetches(beating, ({ resolve }) => resolve([]));
}

/** #2: the fetch's answer; rejects as soon as the member is asked to join again, and has nothing once it stops. */
export async function fetchUntilCalled(
  group: ConsumerGroup,
  fetch: () => Promise<readonly FetchedBatch[]>,
): Promise<readonly FetchedBatch[]> {
  const beating = beatings.get(group);
  if (beating === undefined) return await fetch();
  const fetched = Promise.withResolvers<readonly FetchedBatch[]>();
  beating.fetching.add(fetched);
  if (beating.end === null) fetch().then(fetched.resolve, fetched.reject);
  else beating.end(fetched);
  try {
    return await fetched.promise;
  } finally {
    beating.fetching.delete(fetched);
  }
}

/** Whether the fetches of the generation have ended: one that has not been sent would only delay the next one (#2). */
export function haveFetchesEnded(group: ConsumerGroup): boolean {
  return (beatings.get(group)?.end ?? null) !== null;
}

function endFetches(beating: Beating, end: NonNullable<Beating["end"]>): void {
  beating.end ??= end;
  for (const fetch of beating.fetching) beating.end(fetch);
}

function beatLater(group: ConsumerGroup, beating: Beating, wake: () => void): void {
  const intervalMs = isAtRest(group) ? restHeartbeatIntervalMs : heartbeatIntervalMs;
  beating.timer = setTimeout(() => void beat(group, beating, wake), untilNextBeatMs(Date.now(), intervalMs));
  beating.timer.unref();
}

async function beat(group: ConsumerGroup, beating: Beating, wake: () => void): Promise<void> {
  try {
    await group.heartbeat({ interval: 0 });
  } catch (error) {
    if (!beating.isOver && asksToJoin(error)) {
      beating.isOver = true;
      endFetches(beating, ({ reject }) => reject(error));
      wake();
    }
  }
  // #3
  if (!beating.isOver) beatLater(group, beating, wake);
}

const joinErrors: ReadonlySet<unknown> = new Set(["REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"]);

function asksToJoin(error: unknown): boolean {
  return error instanceof Error && "type" in error && joinErrors.has(error.type);
}
