// Receipts go out with the position, many in one request; the position waits for them.

import { topics } from "@sluice/contracts";
import { expect, it } from "vitest";
import { buildStages, createPublisherEnvironment, eventUetr, stateEventId } from "./event-publisher.fixture.ts";

const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
const postings = numbers.map((number) => ({ uetr: eventUetr(number) }));

type Publisher = ReturnType<typeof createPublisherEnvironment>;

function countSends(environment: Publisher): { receipts: number } {
  const counted = { receipts: 0 };
  environment.hooks.log.produce = (_client, batch) => {
    if (batch.some(({ topic }) => topic === topics.receipts)) counted.receipts += 1;
    return { kind: "append" };
  };
  return counted;
}

function loseReceipts(environment: Publisher): void {
  environment.hooks.log.produce = (_client, batch) =>
    batch.some(({ topic }) => topic === topics.receipts) ? { kind: "lose-request" } : { kind: "append" };
}

async function storedPosition(environment: Publisher): Promise<bigint | undefined> {
  return (await environment.during(environment.store.partitions.list("event-publisher")))[0]?.position;
}

it("receipts of postings that were acknowledged at once share a request; each comes within half a second", async () => {
  const environment = createPublisherEnvironment();
  await environment.start();
  const sends = countSends(environment);
  await environment.publish(...postings);
  await environment.until(() => environment.received.length === numbers.length);
  await environment.until(() => environment.receipts().length === numbers.length, 500);
  expect(new Set(environment.outcomes().values())).toEqual(new Set(["ACKNOWLEDGED"]));
  expect(sends.receipts).toBeLessThanOrEqual(2);
});

it("I1: the position passes no posting whose receipt is not acknowledged, and the next owner sends both again", async () => {
  const environment = createPublisherEnvironment();
  const first = await environment.start();
  loseReceipts(environment);
  await environment.publish(...buildStages(1, 3));
  await environment.until(() => environment.received.length === 3);
  await environment.time.advance(5_000);
  expect(await storedPosition(environment)).toBe(0n);
  first.kill();
  countSends(environment);
  await environment.start();
  await environment.until(() => environment.receipts().length === 3, 60_000);
  const bodies = (stage: number) => environment.attemptsOf(stateEventId(1, stage)).map(({ body }) => body);
  for (const stage of [1, 2, 3])
    expect(bodies(stage)).toEqual([`{"id":"${stateEventId(1, stage)}"}`, `{"id":"${stateEventId(1, stage)}"}`]);
  await environment.time.advance(1_000);
  expect(await storedPosition(environment)).toBe(3n);
});

it("a planned stop sends what waits, so that the next owner posts nothing again", async () => {
  const environment = createPublisherEnvironment();
  const first = await environment.start();
  await environment.publish(...postings);
  await environment.until(() => environment.received.length === numbers.length);
  await first.stop();
  await environment.start();
  await environment.time.advance(20_000);
  expect(environment.received).toHaveLength(numbers.length);
  expect(environment.receipts()).toHaveLength(numbers.length);
});

it("I15: beyond the bound no posting ends without its receipt, and all go on when the topic is back", async () => {
  const environment = createPublisherEnvironment({ bounds: { receiptsWaitingMax: 5, runningPerPartitionMax: 4 } });
  await environment.start();
  loseReceipts(environment);
  await environment.publish(...buildStages(1, 20));
  await environment.time.advance(30_000);
  // One UETR: the sixth posting waits for its own receipt, and the seventh for the sixth.
  expect(environment.received).toHaveLength(6);
  countSends(environment);
  await environment.until(() => environment.receipts().length >= 20, 60_000);
  expect(environment.received).toHaveLength(20);
  expect(environment.receipts()).toHaveLength(20);
});
