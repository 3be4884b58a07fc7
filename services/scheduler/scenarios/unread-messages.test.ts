// Messages that were answered 202 and lie in the dead letters unread: what the close and the gate make of them.

import { type DecodedRecord, headers, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { gateOpeningRecord } from "../operator-records.fixture.ts";
import {
  schedulerBank,
  schedulerBusinessDate,
  schedulerDay,
  SchedulerEnvironment,
  type SchedulerEnvironmentOptions,
} from "../scheduler.fixture.ts";

const bad = Uint8Array.of(7, 7, 7, 7, 7, 7);
const second = "second";

function setUp(options: SchedulerEnvironmentOptions = {}): SchedulerEnvironment {
  return new SchedulerEnvironment({ partitionCount: 2, banks: [second], creditsFinal: "connector", ...options });
}

/** Appends what a faulty writer leaves of a message: its key and its headers can be read, its content cannot. */
async function appendUnreadable(environment: SchedulerEnvironment, uetr: string, type: string, partition: number): Promise<void> {
  await environment.appendRaw(partition, new TextEncoder().encode(uetr), bad, { [headers.type]: type });
}

const released = (environment: SchedulerEnvironment): number => environment.named(topics.journal, "Release").length;

async function open(environment: SchedulerEnvironment): Promise<void> {
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length === environment.partitionCount);
  await environment.declare();
  await environment.until("answered", () => environment.named(topics.journal, "PartitionCredits").length === environment.partitionCount);
  await environment.time.advance(3_000);
}

function replayAnnounced(environment: SchedulerEnvironment): DecodedRecord<"DeadLettersReplayed"> {
  const action = {
    id: "replay-1",
    operator: "thandi",
    person: "thandi",
    reason: "repaired",
    requestedAtMs: environment.time.nowMs(),
    confirmedBy: null,
  };
  return { name: "DeadLettersReplayed", value: { action, records: 1, left: [] } };
}

test("I10: a debit or credit that nobody could read is an item of row 4 at the next close, also with a new owner [D9 quarantined]", async () => {
  const environment = setUp();
  const first = await environment.scheduler();
  const [debit, credit] = [environment.uetrInPartition(0), environment.uetrInPartition(1)];
  const planned = () =>
    environment.named(topics.journal, "DayTimes").filter(({ decoded }) => decoded.value.businessDate === schedulerBusinessDate);
  await environment.until("planned", () => planned().length === environment.partitionCount);
  await appendUnreadable(environment, debit, "DirectDebitReceived", 0);
  await appendUnreadable(environment, credit, "CreditTransferReceived", 1);
  await environment.until("dead letters", () => environment.named(topics.deadLetters, "DeadLetter").length === 2);
  first.kill();
  await environment.time.advance(20_000);
  await environment.scheduler();
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length === environment.partitionCount);
  await environment.time.advance(20_000);
  for (const uetr of [debit, credit]) {
    expect((await environment.document(uetr))?.transaction.items).toMatchObject([{ day: schedulerDay, row: 4, cause: null }]);
  }
});

test("I8: a credit that nobody has read keeps every gate closed, until it is read and has ended", async () => {
  const environment = setUp();
  await environment.scheduler();
  for (const of of [schedulerBank, second]) await environment.hold(environment.uetr(), environment.time.nowMs(), of);
  const uetr = environment.uetrInPartition(1);
  await appendUnreadable(environment, uetr, "CreditTransferReceived", 1);
  await open(environment);
  expect([released(environment), environment.named(topics.journal, "GateOpened").length]).toEqual([0, 0]);
  await environment.append(topics.journal, uetr, replayAnnounced(environment));
  await environment.time.advance(3_000);
  await environment.credit(uetr, { bank: second });
  await environment.time.advance(3_000);
  expect([released(environment), environment.named(topics.journal, "GateOpened").length]).toEqual([0, 0]);
  await environment.endCredit(uetr, second);
  await environment.until("released", () => released(environment) === 2);
});

test("I16: a gate that an unread credit kept closed opens under a new owner too, once the credit has ended", async () => {
  const environment = setUp();
  const first = await environment.scheduler();
  await environment.hold(environment.uetr());
  const uetr = environment.uetrInPartition(1);
  await appendUnreadable(environment, uetr, "CreditTransferReceived", 1);
  await open(environment);
  first.kill();
  await environment.append(topics.journal, uetr, replayAnnounced(environment));
  await environment.credit(uetr, { bank: second });
  await environment.endCredit(uetr, second);
  await environment.time.advance(5_000);
  await environment.scheduler();
  await environment.until("released", () => released(environment) === 1);
  expect(environment.named(topics.journal, "GateOpened").length).toBe(environment.partitionCount);
});

test("I8: an operator opens the gate of one bank over an unread credit, and no other gate opens", async () => {
  const environment = setUp();
  await environment.scheduler();
  for (const of of [schedulerBank, second]) await environment.hold(environment.uetr(), environment.time.nowMs(), of);
  const uetr = environment.uetrInPartition(0);
  await appendUnreadable(environment, uetr, "CreditTransferReceived", 0);
  await open(environment);
  await environment.append(topics.journal, schedulerDay, gateOpeningRecord(second, [uetr]));
  await environment.until("released", () => released(environment) === 1);
  await environment.time.advance(5_000);
  expect(environment.named(topics.journal, "Release").map(({ decoded }) => decoded.value.bank)).toEqual([second]);
});

test("a dead-lettered record that its header calls neither debit nor credit makes no item and closes no gate", async () => {
  const environment = setUp();
  await environment.scheduler();
  await environment.hold(environment.uetr());
  const uetr = environment.uetrInPartition(1);
  await appendUnreadable(environment, uetr, "StatusReportReceived", 1);
  await open(environment);
  await environment.until("released", () => released(environment) === 1);
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length === environment.partitionCount);
  await environment.time.advance(20_000);
  expect((await environment.document(uetr))?.transaction).toMatchObject({ state: "ORPHAN", items: [] });
});
