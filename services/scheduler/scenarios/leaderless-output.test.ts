// An output of the scheduler goes to a partition that has no leader. Before a gate opens that holds the gate: it waits
// for every partition.

import { partitionFor, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { opensAtMs, schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";

const outputs = [topics.dispatch, topics.events];
const troubled = 1;

function counts(environment: SchedulerEnvironment, topic: string): readonly number[] {
  const partitions = Array.from({ length: environment.partitionCount }, (_, partition) => partition);
  return partitions.map((partition) => environment.broker.records({ topic, partition }).length);
}

/** Records that are there twice. */
function repeats(environment: SchedulerEnvironment): number {
  const ids = [
    ...environment.named(topics.dispatch, "Dispatch").map(({ decoded }) => decoded.value.messageIdentification),
    ...environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.id),
    ...environment.named(topics.journal, "WindowOpened").map(({ decoded, partition }) => `${decoded.value.id}/${partition}`),
  ];
  return ids.length - new Set(ids).size;
}

async function stateOf(environment: SchedulerEnvironment, uetr: string): Promise<string | undefined> {
  return (await environment.document(uetr))?.transaction.state;
}

test.each(outputs)("I14: a leaderless partition of %s holds its own transactions up, and nothing is repeated", async (topic) => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  const scheduler = await environment.scheduler();
  await environment.time.advance(opensAtMs - environment.time.nowMs() + 5_000);
  environment.broker.setLeader({ topic, partition: troubled }, false);
  const uetrs = [0, 1, 2].map((partition) => environment.uetrInPartition(partition));
  for (const uetr of uetrs) await environment.hold(uetr);
  const before = counts(environment, topic)[troubled];
  await environment.time.advance(10_000);
  expect([await stateOf(environment, uetrs[0]!), await stateOf(environment, uetrs[2]!)]).toEqual(["RELEASED", "RELEASED"]);
  expect(await stateOf(environment, uetrs[troubled]!)).not.toBe("RELEASED");
  expect([counts(environment, topic)[troubled], repeats(environment)]).toEqual([before, 0]);
  const { isReady, reasons } = scheduler.readiness();
  expect([isReady, reasons]).toEqual([true, [expect.stringMatching(/partition 1: handling is tried again/)]]);
  environment.broker.setLeader({ topic, partition: troubled }, true);
  await environment.time.advance(15_000);
  expect(await stateOf(environment, uetrs[troubled]!)).toBe("RELEASED");
  expect([repeats(environment), scheduler.failures]).toEqual([0, []]);
  await scheduler.stop();
});

test.each([topics.transactions, topics.stateEvents])(
  "I14: a leaderless partition of %s, which only analysts read, holds up its partition's position alone",
  async (topic) => {
    const environment = new SchedulerEnvironment({ partitionCount: 3 });
    const scheduler = await environment.scheduler();
    await environment.time.advance(opensAtMs - environment.time.nowMs() + 5_000);
    environment.broker.setLeader({ topic, partition: troubled }, false);
    const uetr = environment.uetrInPartition(troubled);
    await environment.hold(uetr);
    const positionOf = async () => (await environment.settle(environment.store.partitions.list("scheduler")))[troubled]!.position;
    const [before, position] = [counts(environment, topic)[troubled], await positionOf()];
    await environment.time.advance(10_000);
    expect(await stateOf(environment, uetr)).toBe("RELEASED");
    expect([counts(environment, topic)[troubled], await positionOf(), repeats(environment)]).toEqual([before, position, 0]);
    environment.broker.setLeader({ topic, partition: troubled }, true);
    await environment.time.advance(15_000);
    expect(counts(environment, topic)[troubled]).toBeGreaterThan(before!);
    expect(await positionOf()).toBe(BigInt(environment.broker.records({ topic: topics.journal, partition: troubled }).length));
    expect([repeats(environment), scheduler.failures]).toEqual([0, []]);
    await scheduler.stop();
  },
);

test("I8: while one partition has no leader no gate opens and the day's own partition waits; then all goes on by itself [D10.78]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  const scheduler = await environment.scheduler();
  const ofDay = partitionFor(schedulerDay, 3);
  const [without, other] = [(ofDay + 1) % 3, (ofDay + 2) % 3];
  await environment.time.advance(2_000);
  const [own, elsewhere] = [environment.uetrInPartition(ofDay), environment.uetrInPartition(other)];
  environment.broker.setLeader({ topic: topics.journal, partition: without }, false);
  await environment.time.advance(opensAtMs - environment.time.nowMs() + 10_000);
  for (const uetr of [own, elsewhere]) await environment.hold(uetr);
  await environment.time.advance(10_000);
  const gates = () => environment.named(topics.journal, "GateOpened").map(({ partition }) => partition);
  expect([gates(), await stateOf(environment, elsewhere), await stateOf(environment, own)]).toEqual([[], "HELD", undefined]);
  environment.broker.setLeader({ topic: topics.journal, partition: without }, true);
  await environment.time.advance(20_000);
  expect(new Set(gates()).size).toBe(3);
  expect([await stateOf(environment, own), await stateOf(environment, elsewhere)]).toEqual(["RELEASED", "RELEASED"]);
  expect(repeats(environment)).toBe(0);
  expect(scheduler.failures).toEqual([]);
  await scheduler.stop();
});

test("I14, I9: markers of a day reach every other partition once while one partition of the journal has no leader", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  await environment.scheduler();
  const without = (partitionFor(schedulerDay, 3) + 1) % 3;
  await environment.time.advance(2_000);
  environment.broker.setLeader({ topic: topics.journal, partition: without }, false);
  await environment.time.advance(opensAtMs - environment.time.nowMs() + 10_000);
  const opened = () =>
    environment
      .named(topics.journal, "WindowOpened")
      .filter(({ decoded: { value } }) => `${value.scheme}:${value.businessDate}` === schedulerDay);
  const others = [0, 1, 2].filter((partition) => partition !== without);
  expect(
    opened()
      .map(({ partition }) => partition)
      .toSorted((a, b) => a - b),
  ).toEqual(others);
  environment.broker.setLeader({ topic: topics.journal, partition: without }, true);
  await environment.time.advance(15_000);
  expect(
    opened()
      .map(({ partition }) => partition)
      .toSorted((a, b) => a - b),
  ).toEqual([0, 1, 2]);
});
