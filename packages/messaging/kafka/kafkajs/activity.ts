// How much comes to a member of a group, and how often it asks for more.
//
// #1 A member that has received nothing for a while rests: it fetches and sends heartbeats less often. Together they
//    were nearly all that an idle service did. A join ends the rest, because one member more rarely comes alone.
// #2 A broker may keep a fetch for as long as the member waits for it, so a record that comes to a member at rest is
//    handed over at once. Only a join waits longer there: until the next heartbeat, and for the last fetch.
// #3 After a fetch with few records the next one waits a moment, so that records in quick succession come together.
//    The first one after a pause waits for nothing. A fetch with many records is followed at once by the next one.

import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";

/** Milliseconds without a record, or a join, after which a member rests. */
const restAfterMs = 5_000;
/** #3: as many as come in a moment of full load. */
const manyRecords = 100;

interface Activity {
  atMs: number;
  /** When the newest fetch that brought records was sent; null: it brought many, or none (#3). */
  fewSentAtMs: number | null;
}

const activities = new WeakMap<ConsumerGroup, Activity>();
const spacings = new Map<string, number>();

/** Milliseconds from one fetch to the next by members of the group, where the first one brings few records (#3). */
export function spaceFetches(groupId: string, spacingMs: number): void {
  spacings.set(groupId, spacingMs);
}

function activityOf(group: ConsumerGroup, nowMs: number): Activity {
  const known = activities.get(group);
  if (known !== undefined) return known;
  const activity = { atMs: nowMs, fewSentAtMs: null };
  activities.set(group, activity);
  return activity;
}

export function noteJoin(group: ConsumerGroup, nowMs: number = performance.now()): void {
  activityOf(group, nowMs).atMs = nowMs;
}

/** Notes what a fetch has brought. */
export function noteFetch(group: ConsumerGroup, records: number, sentAtMs: number, nowMs: number = performance.now()): void {
  const activity = activityOf(group, nowMs);
  if (records > 0) activity.atMs = nowMs;
  activity.fewSentAtMs = records > 0 && records < manyRecords ? sentAtMs : null;
}

/** #1 */
export function isAtRest(group: ConsumerGroup, nowMs: number = performance.now()): boolean {
  return nowMs - activityOf(group, nowMs).atMs >= restAfterMs;
}

/** #3: milliseconds until the next fetch. */
export function untilNextFetchMs(group: ConsumerGroup, nowMs: number = performance.now()): number {
  const spacingMs = spacings.get(group.groupId) ?? 0;
  const { fewSentAtMs } = activityOf(group, nowMs);
  return fewSentAtMs === null ? 0 : Math.max(0, fewSentAtMs + spacingMs - nowMs);
}
