// The journal has a partition without a leader: the ends of its deliveries wait for it.

import { partitionFor, topics } from "@sluice/contracts";
import { expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, dispatchUetr, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const partitionCount = 2;
const troubled = { topic: topics.journal, partition: 1 };
const partitionOf = (number: number): number => partitionFor(dispatchUetr(number), partitionCount);
const numbers = Array.from({ length: 200 }, (_, index) => index + 1);

function endedOf(environment: DispatcherEnvironment, partition: number): readonly string[] {
  const ended = environment.endedIds();
  return numbers
    .filter((number) => partitionOf(number) === partition)
    .map((number) => dispatchMessageId(number))
    .filter((id) => ended.has(id));
}

it("I14: a leaderless partition of the journal holds up its own ends; each message is delivered and each receipt sent once", async () => {
  const environment = createDispatcherEnvironment({ partitionCount, bounds: { bufferedRecordsMax: 50 } });
  const { running } = await environment.start();
  environment.answers(() => 202);
  environment.broker.setLeader(troubled, false);
  await environment.dispatch(...numbers.map((number) => ({ messageIdentification: dispatchMessageId(number) })));
  const others = numbers.filter((number) => partitionOf(number) !== troubled.partition);
  await environment.until(() => endedOf(environment, 0).length === others.length, 20_000);
  await environment.time.advance(30_000);
  expect(endedOf(environment, troubled.partition)).toEqual([]);
  expect(environment.receipts().length).toBe(others.length);
  expect(running.readiness()).toMatchObject({ isReady: true, reasons: { length: 1 } });
  environment.broker.setLeader(troubled, true);
  await environment.until(() => environment.endedIds().size === numbers.length, 30_000);
  await environment.until(() => environment.receipts().length >= numbers.length, 1_000);
  for (const number of numbers) expect(environment.attemptsOf(dispatchMessageId(number))).toHaveLength(1);
  expect([environment.ended().length, environment.receipts().length]).toEqual([numbers.length, numbers.length]);
});
