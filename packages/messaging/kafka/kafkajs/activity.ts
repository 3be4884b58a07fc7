// How much comes to a member of a group, and how often it asks for more.
//
// #1 A member that has received nothing for a while rests: it fetches and sends heartbeats less often. Together they
//    were nearly all that an idle service did. A join ends the rest, because one member more rarely comes alone.
// #2 A broker may keep a fetch for as long as the member waits for it, so a record that comes to a member at rest is
//    handed over at once. Only a join waits longer there: until the next heartbeat, and for the last fetch.
// #3 After a fetch with few records the next one to the same broker waits a moment, so that records in quick succession
//    come together. The first one after a pause waits for nothing. A fetch with many records is followed at once by the
//    next one.
// #4 How long it waits is known of each member, not of its group: two members in one process may differ.

import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";

/** Milliseconds without a record, or a join, after which a member rests. */
const restAfterMs = 5_000;
/** #3: as many as come in a moment of full load. */
const manyRecords = 100;

interface Activity {
  atMs: number;
  /** Milliseconds from one fetch to the next, where the first one brings few records (#3). */
  spacingMs: number;
  /** When the newest fetch was sent to each broker from which it brought few records (#3). */
  readonly fewSentAtMs: Map<string, number>;
}

const activities = new WeakMap<ConsumerGroup, Activity>();
const announcers = new WeakMap<object, ConsumerGroup>();

/** #4: a listener to the announcement of a join may space the fetches of the member that joins. */
export function noteAnnouncement(announcement: object, group: ConsumerGroup): void {
  announcers.set(announcement, group);
}

/** #4: given what announced a join of the member. */
export function spaceFetches(announcement: object, spacingMs: number): void {
  const group = announcers.get(announcement);
  if (group !== undefined) activityOf(group, performance.now()).spacingMs = spacingMs;
}

function activityOf(group: ConsumerGroup, nowMs: number): Activity {
  const known = activities.get(group);
  if (known !== undefined) return known;
  const activity = { atMs: nowMs, spacingMs: 0, fewSentAtMs: new Map<string, number>() };
  activities.set(group, activity);
  return activity;
}

export function noteJoin(group: ConsumerGroup, nowMs: number = performance.now()): void {
  activityOf(group, nowMs).atMs = nowMs;
}

interface AnsweredFetch {
  readonly nodeId: string;
  readonly records: number;
  readonly sentAtMs: number;
}

/** Notes what a fetch has brought. */
export function noteFetch(group: ConsumerGroup, { nodeId, records, sentAtMs }: AnsweredFetch, nowMs: number = performance.now()): void {
  const activity = activityOf(group, nowMs);
  if (records > 0) activity.atMs = nowMs;
  if (records > 0 && records < manyRecords) activity.fewSentAtMs.set(nodeId, sentAtMs);
  else activity.fewSentAtMs.delete(nodeId);
}

/** #1 */
export function isAtRest(group: ConsumerGroup, nowMs: number = performance.now()): boolean {
  return nowMs - activityOf(group, nowMs).atMs >= restAfterMs;
}

/** #3: milliseconds until the next fetch from the broker. */
export function untilNextFetchMs(group: ConsumerGroup, nodeId: string, nowMs: number = performance.now()): number {
  const { spacingMs, fewSentAtMs } = activityOf(group, nowMs);
  const sentAtMs = fewSentAtMs.get(nodeId);
  return sentAtMs === undefined ? 0 : Math.max(0, sentAtMs + spacingMs - nowMs);
}
