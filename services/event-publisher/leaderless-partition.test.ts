// A partition without a leader, of the topic that is read or of the one that receipts are written to.

import { partitionFor, topics } from "@sluice/contracts";
import { expect, it } from "vitest";
import { createPublisherEnvironment, eventUetr, stateEventId } from "./event-publisher.fixture.ts";

const partitionCount = 2;
const troubled = 1;
const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
const isTroubled = (number: number): boolean => partitionFor(eventUetr(number), partitionCount) === troubled;
const [own, others] = [numbers.filter(isTroubled), numbers.filter((number) => !isTroubled(number))];
const stages = numbers.map((number) => ({ uetr: eventUetr(number), stageVersion: 1 }));

it.each([
  { topic: topics.events, isPosted: false },
  // They are posted, and their receipts wait.
  { topic: topics.receipts, isPosted: true },
])(
  "I14: a leaderless partition of $topic holds up its own postings and receipts; each is sent once [D10.58]",
  async ({ topic, isPosted }) => {
    const environment = createPublisherEnvironment({ partitionCount, bounds: { bufferedRecordsMax: 50 } });
    const { running } = await environment.start();
    const receiptsOf = (asked: readonly number[]) =>
      asked.filter((number) => environment.outcomes().get(stateEventId(number, 1)) === "ACKNOWLEDGED").length;
    await environment.publish(...stages);
    environment.broker.setLeader({ topic, partition: troubled }, false);
    await environment.until(() => receiptsOf(others) === others.length, 20_000);
    await environment.time.advance(30_000);
    expect(receiptsOf(own)).toBe(0);
    const posted = new Set(environment.received.map(({ id }) => id));
    expect(others.every((number) => posted.has(stateEventId(number, 1)))).toBe(true);
    expect(own.some((number) => posted.has(stateEventId(number, 1)))).toBe(isPosted);
    expect(running.readiness().isReady).toBe(true);
    environment.broker.setLeader({ topic, partition: troubled }, true);
    await environment.until(() => receiptsOf(numbers) === numbers.length, 30_000);
    for (const number of numbers) expect(environment.attemptsOf(stateEventId(number, 1))).toHaveLength(1);
    expect(environment.receipts()).toHaveLength(numbers.length);
    await environment.until(() => running.readiness().reasons.length === 0, 1_000);
    expect(running.readiness().isReady).toBe(true);
  },
);
