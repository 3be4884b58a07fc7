import { rulesVersion } from "@sluice/domain";
// A batch of the journal that cannot be read stops its partition until an operator skips it. What of it could be made
// out is quarantined, as a record that cannot be read is.

import { headers, outgoingRecord, partitionFor, topics } from "@sluice/contracts";
import { buildDeadLetter, buildSkippedRecords, UnreadableBatchFault } from "@sluice/messaging";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { rebuildPartition } from "../rebuild/rebuild-partition.ts";
import { journalHandlers } from "../service.ts";

const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "skip-1", reason: "ticket 4711" };

/** Requests a skip of the batch at this offset, as the console does. */
async function requestSkip(environment: SchedulerEnvironment, partition: number, offset: bigint): Promise<void> {
  const place = { topic: topics.journal, partition };
  const reading = environment.settle(Array.fromAsync(environment.broker.client("console").read(place, offset, offset + 1n)));
  const fault: unknown = await reading.catch((error: unknown) => error);
  if (!(fault instanceof UnreadableBatchFault)) throw new Error("the batch can be read");
  const records = buildSkippedRecords({ ...fault.batch, keys: [] }, by, environment.time.nowMs());
  const skip = { ...by, stage: "requested" } as const;
  const letters = records.map((record) => buildDeadLetter({ record, reason: by.reason, service: "scheduler", skip }, environment.serde));
  const producer = await environment.settle(environment.broker.client("console").producer("console"));
  await environment.settle(producer.send(letters));
}

function listDone(environment: SchedulerEnvironment) {
  return environment
    .named(topics.deadLetters, "DeadLetter")
    .filter((letter) => letter.headers[headers.skip] === "done")
    .map(({ decoded }) => decoded.value);
}

function uetrIn(environment: SchedulerEnvironment, partition: number): string {
  for (;;) {
    const uetr = environment.uetr();
    if (partitionFor(uetr, environment.partitionCount) === partition) return uetr;
  }
}

/** Appends the debits in one send, so that they have one append time, as the records of a batch have. */
async function appendDebits(environment: SchedulerEnvironment, ...uetrs: readonly string[]): Promise<void> {
  const { serde, partitionCount } = environment;
  const producer = await environment.settle(environment.broker.client("ingress").producer("ingress"));
  const records = uetrs.map((uetr) => outgoingRecord(serde, topics.journal, uetr, environment.debit(uetr), { partitionCount }));
  await environment.settle(producer.send(records));
}

/** A partition with a debit, two debits in a batch that cannot be read, and one behind it. */
async function stopAtBatch(partitionCount: number, areKeysKnown: boolean) {
  const environment = new SchedulerEnvironment({ partitionCount });
  await environment.scheduler();
  await environment.time.advance(5_000);
  const [before, first, second, behind] = [0, 0, 0, 0].map(() => uetrIn(environment, 0)) as [string, string, string, string];
  await appendDebits(environment, before);
  await environment.until("the debit before it", () => environment.events(before).length === 1);
  const { logEnd: firstOffset = 0n } =
    (await environment.settle(environment.broker.ends([{ topic: topics.journal, partition: 0 }])))[0] ?? {};
  const range = { firstOffset, lastOffset: firstOffset + 1n, reason: "checksum", areKeysKnown } as const;
  environment.broker.breakBatch({ topic: topics.journal, partition: 0 }, range);
  await appendDebits(environment, first, second);
  await appendDebits(environment, behind);
  await environment.time.advance(10_000);
  expect(environment.events(behind)).toEqual([]);
  return { environment, before, first, second, behind, range };
}

test("I14: a batch that cannot be read stops its partition and no other", async () => {
  const { environment, range } = await stopAtBatch(2, true);
  const other = uetrIn(environment, 1);
  await appendDebits(environment, other);
  await environment.until("the other partition", () => environment.events(other).length === 1);
  const positions = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(positions.find(({ partition }) => partition === 0)?.position).toBe(range.firstOffset);
});

test("a skipped batch quarantines every transaction that could be made out, and what follows is handled", async () => {
  const { environment, first, second, behind, range } = await stopAtBatch(1, true);
  await requestSkip(environment, 0, range.firstOffset);
  await environment.until("the debit behind it", () => environment.events(behind).length === 1);
  const marks = await Promise.all([first, second].map(async (uetr) => (await environment.document(uetr))?.transaction.quarantined));
  expect(marks).toMatchObject([
    { offset: range.firstOffset, records: 1 },
    { offset: range.lastOffset, records: 1 },
  ]);
  const said = {
    topic: topics.journal,
    partition: 0,
    service: "scheduler",
    reason: "ticket 4711",
    operator: "thandi",
    person: "thandi",
    confirmedBy: "sipho",
    actionId: "skip-1",
  };
  const letters = listDone(environment);
  expect(letters).toMatchObject([
    { ...said, offset: range.firstOffset, value: null },
    { ...said, offset: range.lastOffset },
  ]);
  expect(letters[1]?.value?.length).toBeGreaterThan(500);
});

test("of a batch whose keys are not known only the batch itself is a dead letter", async () => {
  const { environment, first, second, behind, range } = await stopAtBatch(1, false);
  await requestSkip(environment, 0, range.firstOffset);
  await environment.until("the debit behind it", () => environment.events(behind).length === 1);
  expect(listDone(environment)).toMatchObject([{ offset: range.lastOffset, key: null }]);
  expect([await environment.document(first), await environment.document(second)]).toEqual([null, null]);
});

test("a rebuild skips what was skipped, whether or not the batch can be read by then", async () => {
  const { environment, behind, range } = await stopAtBatch(1, true);
  await requestSkip(environment, 0, range.firstOffset);
  await environment.until("the debit behind it", () => environment.events(behind).length === 1);
  await environment.time.advance(5_000);
  const ports = {
    service: "scheduler",
    store: environment.store,
    partitionCount: 1,
    time: environment.time,
    messaging: environment.broker.client("builder"),
    serde: environment.serde,
    configuration: sampleConfiguration(),
    handlers: journalHandlers,
    rulesVersion,
    builderId: "builder",
    progress: () => {},
  };
  const rebuild = () => environment.settle(rebuildPartition(ports, 0, { isDryRun: true, accepts: "nothing" }));
  expect(await rebuild()).toMatchObject({ differences: [], compared: 4 });
  environment.broker.breakBatch({ topic: topics.journal, partition: 0 }, null);
  expect(await rebuild()).toMatchObject({ differences: [], compared: 4 });
});
