// What analysts read: one record beside each event, and the versions of items and days.

import { type AnyDecodedRecord, type RecordName, recordMap, schemaVersions, topics } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { expect, test } from "vitest";
import { closesAtMs, opensAtMs, reconciliationAtMs, SchedulerEnvironment } from "../../scheduler.fixture.ts";
import { openTestWorker } from "../open-worker.fixture.ts";

async function at(environment: SchedulerEnvironment, atMs: number): Promise<void> {
  await environment.time.advance(Math.max(0, atMs - environment.time.nowMs()));
}

test("I6: an entry for analysts follows its event, with its key and in its order, and many go together [D10.70]", async () => {
  const sends: (readonly OutgoingRecord[])[] = [];
  const environment = new SchedulerEnvironment({
    brokerHooks: {
      produce(_client, batch) {
        sends.push(batch);
        return { kind: "append" };
      },
    },
  });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("received", () => environment.events(uetr).length === 1);
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length === 4);
  await environment.time.advance(500);
  const describe = (record: OutgoingRecord): string => {
    const { name, value }: AnyDecodedRecord = environment.serde.decode(record.value ?? new Uint8Array());
    const isEntry = name === "TransactionStateEvent" || name === "StateEntered";
    return isEntry
      ? `${record.partition} ${Buffer.from(record.key ?? []).toString()} ${value.id} ${value.stageVersion} ${value.state}`
      : "";
  };
  const inTopic = (batch: readonly OutgoingRecord[], topic: string): readonly string[] =>
    batch.filter((record) => record.topic === topic).map(describe);
  const [events, entries] = [topics.events, topics.stateEvents].map((topic) => sends.flatMap((batch) => inTopic(batch, topic)));
  expect(entries).toEqual(events);
  expect(entries).toHaveLength(4);
  const sendsWith = (topic: string): number => sends.filter((batch) => inTopic(batch, topic).length > 0).length;
  expect(sendsWith(topics.stateEvents)).toBeLessThan(sendsWith(topics.events));
  for (const [at, batch] of sends.entries()) {
    const sentBefore = sends.slice(0, at).flatMap((earlier) => inTopic(earlier, topics.events));
    expect(sentBefore).toEqual(expect.arrayContaining([...inTopic(batch, topics.stateEvents)]));
  }
});

test("I6: an item for analysts has the row, the reason and the day of the store's item [D10.70]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await at(environment, reconciliationAtMs + 2_000);
  const items = () => environment.named(topics.items, "ReconciliationItem").map(({ decoded }) => decoded.value);
  await environment.until("the day is closed", () => items().length > 0);
  const [item] = (await environment.document(uetr))!.transaction.items;
  expect(items()).toMatchObject([
    { uetr, number: 1, scheme: "ZA_EFT", row: item!.row, reason: item!.cause, state: "RECEIVED", resolution: null, resolvedAtMs: null },
  ]);
  expect(`${items()[0]!.scheme}:${items()[0]!.businessDate}`).toBe(item!.day);
});

test("I9: a day for analysts tells when its window opened and closed, and when the day was reconciled [D10.70]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await at(environment, opensAtMs + 1_000);
  await environment.declare();
  const newest = () =>
    environment
      .named(topics.days, "BusinessDay")
      .map(({ decoded }) => decoded.value)
      .filter(({ scheme, businessDate }) => `${scheme}:${businessDate}` === "ZA_EFT:2026-11-20")
      .reduce((last, value) => (value.version >= last.version ? value : last));
  await environment.until("the gate is open", () => newest().gateOpenedAtMs !== null);
  expect(newest()).toMatchObject({
    isVoided: false,
    reconciledAtMs: null,
    windows: [{ number: 1, opensAtMs, closesAtMs, closedAtMs: null }],
  });
  await at(environment, reconciliationAtMs + 2_000);
  await environment.until("it is reconciled", () => newest().reconciledAtMs !== null);
  const [window] = newest().windows;
  expect(window!.openedAtMs).toBeGreaterThanOrEqual(opensAtMs);
  expect(window!.closedAtMs).toBeGreaterThanOrEqual(closesAtMs);
  expect(newest()).toMatchObject({ reconciliationAtMs });
});

test("what analysts read has no name and no account number [D10.71]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length === 4);
  await at(environment, reconciliationAtMs + 2_000);
  await environment.until("it is an item", () => environment.records(topics.items).length > 0);
  const { debtor, debtorAccount, creditor, creditorAccount } = environment.debit(uetr).value.debit;
  const secrets = collectTexts([debtor, debtorAccount, creditor, creditorAccount]).filter((text) => text.length > 7);
  expect(secrets.length).toBeGreaterThan(1);
  for (const topic of [topics.stateEvents, topics.items, topics.days]) {
    const written = environment
      .records(topic)
      .map(({ value }) => Buffer.from(value ?? []).toString("latin1"))
      .join("\n");
    expect(written.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
  }
});

function collectTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}

test("a topic of analysts has one record type, with a text for every field [D10.70]", () => {
  const ofAnalysts = recordMap.filter(({ readBy }) => readBy.some((reader) => reader === "analysts"));
  const perTopic = Map.groupBy(recordMap, ({ topic }) => topic);
  expect(ofAnalysts.map(({ topic }) => topic).toSorted()).toEqual(
    [topics.days, topics.items, topics.receipts, topics.stateEvents, topics.transactions].toSorted(),
  );
  for (const { topic, record } of ofAnalysts) {
    expect([topic, perTopic.get(topic)?.length]).toEqual([topic, 1]);
    const name: RecordName = record;
    const schema: { readonly fields: readonly { readonly name: string; readonly doc: string }[] } = JSON.parse(
      schemaVersions[name].at(-1) ?? "",
    );
    expect(schema.fields.filter(({ doc }) => doc === "")).toEqual([]);
  }
});

test("I6: what waits for analysts when a scheduler is killed comes by the replay of the next one [D10.72]", async () => {
  const environment = new SchedulerEnvironment();
  const first = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("received", () => environment.events(uetr).length === 1);
  expect(environment.records(topics.stateEvents)).toEqual([]);
  first.kill();
  await environment.scheduler();
  await environment.time.advance(10_000);
  const entries = environment.named(topics.stateEvents, "StateEntered").map(({ decoded }) => decoded.value.id);
  const events = environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.id);
  expect(new Set(entries)).toEqual(new Set(events));
  expect(environment.named(topics.transactions, "TransactionSnapshot").at(-1)?.decoded.value.state).toBe("RECEIVED");
});

test("I15: a partition that has more for analysts than may wait sends it before it goes on", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const sends: number[] = [];
  const base = await environment.partitionContext();
  const send = (records: readonly OutgoingRecord[]) => {
    sends.push(records.filter(({ topic }) => topic === topics.stateEvents).length);
    return base.producer.send(records);
  };
  const context = await environment.partitionContext({ analystRecordsMax: 3, producer: { send, close: () => Promise.resolve() } });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  for (let count = 0; count < 8; count += 1) {
    const uetr = environment.uetr();
    await environment.append(topics.journal, uetr, environment.debit(uetr));
  }
  const received = environment.broker.records({ topic: topics.journal, partition: 0 });
  for (const record of received) await environment.settle(worker.handle([record]));
  expect(Math.max(...sends)).toBeLessThanOrEqual(4);
  expect(Math.max(...sends)).toBeGreaterThan(0);
});
