import { rulesVersion } from "@sluice/domain";
// A record whose schema cannot be found stops its partition until an operator skips it.

import { type AnyDecodedRecord, headers, topics } from "@sluice/contracts";
import { buildDeadLetter, type ReceivedRecord } from "@sluice/messaging";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { rebuildPartition } from "../rebuild/rebuild-partition.ts";
import { journalHandlers } from "../service.ts";

/** A record with a schema id that no registry knows. */
const unknown = Uint8Array.of(0, 0, 0, 0x27, 0x0f, 1, 2);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function stoppingRecord(environment: SchedulerEnvironment): ReceivedRecord {
  const found = environment.broker
    .records({ topic: topics.journal, partition: 0 })
    .find(({ value }) => value?.[4] === 0x0f && value[3] === 0x27);
  if (found === undefined) throw new Error("the record is not in the journal");
  return found;
}

/** Requests a skip, as the console does. */
async function requestSkip(environment: SchedulerEnvironment, record: ReceivedRecord, service = "scheduler"): Promise<void> {
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", stage: "requested" } as const;
  const producer = await environment.settle(environment.broker.client("console").producer("console"));
  await environment.settle(producer.send([buildDeadLetter({ record, reason: "ticket 4711", service, skip: by }, environment.serde)]));
}

function listDone(environment: SchedulerEnvironment) {
  return environment.named(topics.deadLetters, "DeadLetter").filter((letter) => letter.headers[headers.skip] === "done");
}

async function position(environment: SchedulerEnvironment): Promise<bigint | undefined> {
  return (await environment.settle(environment.store.partitions.list("scheduler")))[0]?.position;
}

/** Stops the partition at such a record under the UETR, with other records before and behind it. */
async function stopPartition(environment: SchedulerEnvironment, uetr: string, before: string, behind: string): Promise<void> {
  await environment.append(topics.journal, before, environment.debit(before));
  await environment.appendRaw(0, bytes(uetr), unknown);
  await environment.append(topics.journal, behind, environment.debit(behind));
  await environment.time.advance(15_000);
}

test("I16: a record that stops its partition stops only that: the records before it are done, and the position names it", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await stopPartition(environment, uetr, before, behind);
  expect(environment.events(before)).toHaveLength(1);
  expect(environment.events(behind)).toEqual([]);
  expect(await position(environment)).toBe(stoppingRecord(environment).offset);
});

test("a record that an operator skips quarantines its transaction, the partition continues, and operator and reason are in the dead letter and in no log line [D9.97]", async () => {
  const lines: string[] = [];
  const environment = new SchedulerEnvironment({
    partitionCount: 1,
    onProblem: (event, fields) => void lines.push(JSON.stringify([event, fields], asText)),
  });
  await environment.scheduler();
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await stopPartition(environment, uetr, before, behind);
  const record = stoppingRecord(environment);
  await requestSkip(environment, record);
  await environment.until("the partition continues", () => environment.events(behind).length === 1);
  expect((await environment.document(uetr))?.transaction.quarantined).toMatchObject({ offset: record.offset, records: 1 });
  const place = { topic: topics.journal, partition: 0, offset: record.offset };
  expect(listDone(environment).map(({ decoded }) => decoded.value)).toMatchObject([
    {
      ...place,
      service: "scheduler",
      reason: "ticket 4711",
      operator: "thandi",
      person: "thandi",
      confirmedBy: "sipho",
      actionId: "put-1",
    },
  ]);
  expect(lines.filter((line) => line.includes("record.dead-lettered"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("4711"))).toEqual([]);
});

test("a record with a symbol that this reader does not know stops only its partition too, in a batch with others, and can be skipped", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  const verdict = environment.verdict(environment.debit(uetr));
  const unknownVerdict = { name: "AccountVerified", value: { ...verdict.value, verdict: "MAYBE" } } as unknown as AnyDecodedRecord;
  const isVerdict = (decoded: AnyDecodedRecord): boolean => decoded.name === "AccountVerified";
  await environment.append(topics.journal, before, environment.debit(before));
  await environment.append(topics.journal, uetr, verdict);
  await environment.append(topics.journal, behind, environment.debit(behind));
  const decode = (value: Uint8Array): AnyDecodedRecord => {
    const decoded = environment.serde.decode(value);
    return isVerdict(decoded) ? unknownVerdict : decoded;
  };
  await environment.scheduler({ serde: { ...environment.serde, decode } });
  await environment.time.advance(15_000);
  const record = environment.broker
    .records({ topic: topics.journal, partition: 0 })
    .find(({ value }) => value !== null && isVerdict(environment.serde.decode(value)));
  if (record === undefined) throw new Error("the record is not in the journal");
  expect([environment.events(before).length, environment.events(behind).length, await position(environment)]).toEqual([
    1,
    0,
    record.offset,
  ]);
  await requestSkip(environment, record);
  await environment.until("the partition continues", () => environment.events(behind).length === 1);
  expect((await environment.document(uetr))?.transaction.quarantined).toMatchObject({ offset: record.offset });
});

test("a request that names another record, or another service's partition, has no effect", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await stopPartition(environment, uetr, before, behind);
  const record = stoppingRecord(environment);
  await requestSkip(environment, { ...record, offset: record.offset + 1n });
  await requestSkip(environment, record, "validator");
  await environment.time.advance(30_000);
  expect(environment.events(behind)).toEqual([]);
});

test("a skipped record that is read again from an empty store is skipped again, also if its schema is known by then", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const first = await environment.scheduler();
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await stopPartition(environment, uetr, before, behind);
  await requestSkip(environment, stoppingRecord(environment));
  await environment.until("the partition continues", () => environment.events(behind).length === 1);
  const quarantined = (await environment.document(uetr))?.transaction;
  await first.stop();
  environment.store = environment.emptyStore();
  const report = environment.report(uetr, "made");
  await environment.scheduler({
    serde: { ...environment.serde, decode: (value) => (value[3] === 0x27 && value[4] === 0x0f ? report : environment.serde.decode(value)) },
  });
  await environment.until("skipped again", () => listDone(environment).length === 2);
  await environment.time.advance(1_000);
  expect((await environment.document(uetr))?.transaction).toEqual(quarantined);
});

test("a rebuild skips what an operator skipped, also if it could be read by now", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const [uetr, before, behind] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await stopPartition(environment, uetr, before, behind);
  await requestSkip(environment, stoppingRecord(environment));
  await environment.until("the partition continues", () => environment.events(behind).length === 1);
  await environment.time.advance(1_000);
  const [report, messaging] = [environment.report(uetr, "made"), environment.broker.client("builder")];
  const rest = {
    builderId: "builder",
    service: "scheduler",
    progress: () => {},
    configuration: sampleConfiguration(),
    handlers: journalHandlers,
    rulesVersion,
  };
  const ports = {
    ...rest,
    store: environment.store,
    partitionCount: 1,
    time: environment.time,
    messaging,
    serde: { ...environment.serde, decode },
  };
  const built = await environment.settle(rebuildPartition(ports, 0, { isDryRun: true, accepts: "nothing" }));
  expect(built).toMatchObject({ differences: [], compared: 3, documents: 3 });

  function decode(value: Uint8Array): AnyDecodedRecord {
    return value[3] === 0x27 && value[4] === 0x0f ? report : environment.serde.decode(value);
  }
});

test("a record whose skip was only requested, and whose partition continued by itself, is handled like any other", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  const record = environment.broker.records({ topic: topics.journal, partition: 0 }).at(-1);
  if (record !== undefined) await requestSkip(environment, record);
  await environment.scheduler();
  await environment.until("received", () => environment.events(uetr).length === 1);
  expect(listDone(environment)).toEqual([]);
});

function asText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
