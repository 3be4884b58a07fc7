import { createFixedSerde, type Serde, topics } from "@sluice/contracts";
import { rulesVersion } from "@sluice/domain";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { rebuildPartition } from "./rebuild/rebuild-partition.ts";
import { SchedulerEnvironment } from "./scheduler.fixture.ts";
import { journalHandlers } from "./service.ts";

const scope = "first/2026-11";
const plain = createFixedSerde();

/** Everything that the log and the store hold, as bytes. */
async function readStored(environment: SchedulerEnvironment) {
  const { broker, store, partitionCount } = environment;
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
  const records = Object.values(topics).flatMap((topic) =>
    topic === topics.probe ? [] : partitions.flatMap((partition) => broker.records({ topic, partition })),
  );
  const pages = await environment.settle(Promise.all(partitions.map((partition) => store.builds.documents(partition, 0, null, 1_000))));
  const documents = pages.flat();
  const values = records.map(({ value }) => Buffer.from(value ?? []));
  const kept = documents.flatMap((document) =>
    [document.acceptedMessage, document.finalReport ?? new Uint8Array()].map((bytes) => Buffer.from(bytes)),
  );
  const terms = documents.map(({ search }) => Buffer.from(JSON.stringify(search)));
  return { records, documents, bytes: [...values, ...kept, ...terms] };
}

async function runDay(keyService = createMemoryKeyService()) {
  const environment = new SchedulerEnvironment({ keyService, partitionCount: 1 });
  const scheduler = await environment.scheduler({ serde: environment.newSerde() });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true);
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("completed", () => environment.events(uetr).at(-1)?.endsWith("COMPLETED") === true);
  return { environment, scheduler, uetr, keyService };
}

/** Names and accounts of the debit that the environment appends. */
function canariesOf(environment: SchedulerEnvironment): readonly string[] {
  const { debit } = environment.debit(environment.uetr()).value;
  const texts = [debit.debtor.legalName, debit.creditor.legalName, debit.debtorAccount.identification?.value ?? ""];
  return texts.filter((text) => text.length > 3);
}

test("no name and no account of a sealed debit is in the log or in the store, from its receipt to its end [D10.110]", async () => {
  const { environment } = await runDay();
  const canaries = canariesOf(environment);
  const { bytes, records, documents } = await readStored(environment);
  expect(canaries.length).toBeGreaterThan(1);
  expect(canaries.filter((canary) => bytes.some((one) => one.includes(canary)))).toEqual([]);
  const sealed = records.filter(({ value }) => plain.decode(value ?? new Uint8Array()).name === "SealedRecord");
  expect(new Set(sealed.map(({ topic }) => topic))).toEqual(new Set([topics.journal, topics.dispatch, topics.events]));
  expect(documents[0]?.search.debtorAccountEnd).toMatch(/^#/);
});

test("I3: what a process lost when it was killed is sealed to the same bytes by the next one [D10.111]", async () => {
  const lost: Uint8Array[] = [];
  const environment: SchedulerEnvironment = new SchedulerEnvironment({
    keyService: createMemoryKeyService(),
    brokerHooks: {
      produce(client, batch) {
        const outputs = batch.filter(({ topic }) => topic === topics.events || topic === topics.dispatch);
        if (lost.length > 0 || client !== "scheduler-1" || outputs.length === 0) return { kind: "append" };
        lost.push(...outputs.flatMap(({ value }) => value ?? []));
        environment.kill();
        return { kind: "lose-request" };
      },
    },
  });
  await environment.scheduler({ serde: environment.newSerde() });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("killed", () => lost.length > 0);
  await environment.scheduler({ serde: environment.newSerde() });
  await environment.until("replayed", () => environment.events(uetr).length >= 4);
  const written = [...environment.records(topics.events), ...environment.records(topics.dispatch)];
  expect(lost.map((value) => plain.decode(value).name)).toContain("SealedRecord");
  expect(lost.filter((value) => !written.some((record) => Buffer.compare(record.value!, value) === 0))).toEqual([]);
});

test("after an erasure a partition is rebuilt without what is gone, and nobody reads it, in the log or in the store [D10.113]", async () => {
  const { environment, scheduler, uetr, keyService } = await runDay();
  await scheduler.stop();
  await keyService.destroy(scope);
  const serde = environment.newSerde();
  const ports = {
    store: environment.store,
    serde,
    partitionCount: 1,
    rulesVersion,
    time: environment.time,
    messaging: environment.broker.client("builder"),
    configuration: sampleConfiguration(),
    handlers: journalHandlers,
    builderId: "builder-1",
    service: "scheduler",
    progress: () => {},
  };
  const built = await environment.settle(rebuildPartition(ports, 0, { isDryRun: false, accepts: "nothing" }));
  expect([built?.differences, built?.isSwitched, built?.documents]).toEqual([[], true, 1]);
  const rebuilt = (await environment.settle(environment.store.builds.transactions(built?.build ?? 0).load([uetr]))).get(uetr);
  expect([rebuilt?.transaction.state, rebuilt?.search.debtorAccountEnd]).toEqual(["COMPLETED", null]);
  const { records } = await readStored(environment);
  const canaries = canariesOf(environment);
  for (const { value } of records) {
    const bytes = value ?? new Uint8Array();
    if (serde.knows?.(bytes) === false) await environment.settle(serde.learn(bytes));
    const read = JSON.stringify(serde.decode(bytes), (_, member: unknown) =>
      typeof member === "bigint" ? `${member}n` : member instanceof Uint8Array ? Buffer.from(member).toString() : member,
    );
    expect(canaries.filter((canary) => read.includes(canary))).toEqual([]);
  }
});

test("a sealed message is opened once, when it comes from the journal, and not again for what follows from it", async () => {
  const environment = new SchedulerEnvironment({ keyService: createMemoryKeyService(), partitionCount: 1 });
  const opened: string[] = [];
  const serde = environment.newSerde();
  const counting: Serde = {
    ...serde,
    decode(bytes) {
      const decoded = serde.decode(bytes);
      opened.push(decoded.name);
      return decoded;
    },
  };
  await environment.scheduler({ serde: counting });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true);
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("completed", () => environment.events(uetr).at(-1)?.endsWith("COMPLETED") === true);
  const messages = ["DirectDebitReceived", "AccountVerified", "StatusReportReceived"];
  expect(opened.filter((name) => messages.includes(name)).toSorted()).toEqual(messages.toSorted());
});
