// I8, the gate of credits final: several partitions, several banks, partitions that lag, owners that die, a restored
// store.

import { topics } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import {
  opensAtMs,
  schedulerBank,
  schedulerDay,
  SchedulerEnvironment,
  type SchedulerEnvironmentOptions,
  schedulerStartAtMs,
} from "../scheduler.fixture.ts";

const second = "second";
const third = "third";
const setUp = (options: SchedulerEnvironmentOptions = {}): SchedulerEnvironment =>
  new SchedulerEnvironment({ partitionCount: 3, banks: [second, third], creditsFinal: "connector", ...options });

/** Lists the banks to which a debit was released. */
const releasedTo = (environment: SchedulerEnvironment): readonly string[] => {
  const sent = environment.named(topics.dispatch, "Dispatch").filter(({ decoded }) => decoded.value.operation === "inboundDirectDebit");
  return [...new Set(sent.map(({ decoded }) => decoded.value.bank))].toSorted();
};

/** Lists, in order, the banks that the gate was opened for in one partition, or those that it excepted. */
const gates = (environment: SchedulerEnvironment, partition = 0): readonly string[] =>
  environment
    .named(topics.journal, "GateOpened")
    .filter((record) => record.partition === partition)
    .map(({ decoded: { value } }) => (value.banks === null ? `all but ${value.except.join(" ")}` : value.banks.join(" ")));

/** Appends a held debit of each bank in each partition. */
async function holdEverywhere(environment: SchedulerEnvironment): Promise<void> {
  for (let partition = 0; partition < environment.partitionCount; partition += 1) {
    for (const of of [schedulerBank, second, third])
      await environment.hold(environment.uetrInPartition(partition), environment.time.nowMs(), of);
  }
}

async function open(environment: SchedulerEnvironment): Promise<void> {
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length === environment.partitionCount);
}

/**
 * I8 by the journal alone: no gate of a bank was opened, in any partition, before every credit to it below the
 * declaration's marker in its own partition had ended.
 */
function expectNothingEarly(environment: SchedulerEnvironment, endings: ReadonlyMap<string, string>): void {
  const journal = environment.records(topics.journal);
  for (const [uetr, to] of endings) {
    const of = journal.filter(({ key }) => Buffer.from(key!).toString() === uetr);
    const received = of.find(({ decoded }) => decoded.name === "CreditTransferReceived")!;
    const declared = journal.find(({ decoded, partition }) => decoded.name === "CreditsDeclared" && partition === received.partition)!;
    if (received.offset > declared.offset) continue;
    const ended = of.find(({ decoded }) => decoded.name === "StatusReportReceived" || decoded.name === "DeadlinePassed");
    for (const { decoded, appendedAtMs, partition } of environment.named(topics.journal, "GateOpened")) {
      const { banks, except } = decoded.value;
      if (banks === null ? except.includes(to) : !banks.includes(to)) continue;
      expect(ended, `${to} opened in partition ${partition} with an open credit`).toBeDefined();
      expect(appendedAtMs).toBeGreaterThanOrEqual(ended!.appendedAtMs);
    }
  }
}

test("I8: nothing is released before the credits are declared final, though the window is open", async () => {
  const environment = setUp();
  await environment.scheduler();
  await holdEverywhere(environment);
  await open(environment);
  await environment.time.advance(10_000);
  expect(environment.named(topics.journal, "Release")).toEqual([]);
  await environment.declare();
  await environment.until("released", () => releasedTo(environment).length === 3);
  expect(gates(environment)).toEqual(["all but "]);
});

test("I8: a bank with an unresolved credit in any partition gets nothing until its credits have ended in each; the other banks get their debits", async () => {
  const closed: string[] = [];
  const environment = setUp({
    onInfo: (event, fields) => {
      if (event === "gate.closed") closed.push(JSON.stringify(fields["why"]));
    },
  });
  await environment.scheduler();
  await holdEverywhere(environment);
  const credits = [0, 0, 2].map((partition) => environment.uetrInPartition(partition));
  for (const uetr of credits) await environment.credit(uetr, { bank: second });
  await open(environment);
  await environment.declare();
  await environment.until("released", () => releasedTo(environment).length === 2);
  await environment.time.advance(5_000);
  expect(releasedTo(environment)).toEqual([schedulerBank, third]);
  expect(gates(environment)).toEqual([`all but ${second}`]);
  await environment.endCredit(credits[0]!, second);
  await environment.endCredit(credits[2]!, second);
  await environment.time.advance(5_000);
  expect(releasedTo(environment)).toEqual([schedulerBank, third]);
  await environment.endCredit(credits[1]!, second);
  await environment.until("released", () => releasedTo(environment).length === 3);
  expect(gates(environment)).toEqual([`all but ${second}`, second]);
  const clear = environment.named(topics.journal, "PartitionBankClear").map(({ decoded: { value } }) => `${value.partition} ${value.bank}`);
  expect(new Set(clear)).toEqual(new Set([`0 ${second}`, `1 ${second}`, `2 ${second}`]));
  // The reason why the gate is closed is logged whenever it changes, in the sentence of `./sluice held`.
  expect([closed[0], ...closed.slice(-2)]).toEqual([
    '["every bank: gate closed: partitions 0, 1, 2 have not answered"]',
    '["second: gate closed: credits unresolved in partitions 0, 2"]',
    '["second: gate closed: credits unresolved in partition 0"]',
  ]);
});

test("a declaration is a line of the log for people, and not one for each partition", async () => {
  const said: string[] = [];
  const environment = setUp({ onInfo: (event) => void (event.startsWith("gate.") && said.push(event)) });
  await environment.scheduler();
  await holdEverywhere(environment);
  await open(environment);
  await environment.declare();
  await environment.until("released", () => releasedTo(environment).length === 3);
  expect(said).toEqual(["gate.closed"]);
});

test("a credit that ends by its deadline opens its bank's gate", async () => {
  const environment = setUp();
  await environment.scheduler();
  await holdEverywhere(environment);
  const nowMs = environment.time.nowMs();
  await environment.credit(environment.uetrInPartition(1), { bank: second, deadlineMs: nowMs + 30_000 });
  await open(environment);
  await environment.declare();
  await environment.until("excepted", () => gates(environment).length === 1);
  await environment.until("released", () => releasedTo(environment).length === 3);
  expect(environment.time.nowMs()).toBeGreaterThanOrEqual(nowMs + 30_000);
});

test("a credit received after the declaration, of a later date, or of another scheme closes no gate", async () => {
  const environment = setUp();
  await environment.scheduler();
  await holdEverywhere(environment);
  await environment.credit(environment.uetrInPartition(0), { bank: second, businessDate: "2026-11-21" });
  await environment.credit(environment.uetrInPartition(1), { bank: second, scheme: "ZA_RTC" });
  await open(environment);
  await environment.declare();
  await environment.until("declared", () => environment.named(topics.journal, "CreditsDeclared").length === 3);
  await environment.credit(environment.uetrInPartition(2), { bank: second });
  await environment.until("released", () => releasedTo(environment).length === 3);
  expect(gates(environment)).toEqual(["all but "]);
});

test("a credit of an earlier business date that is unresolved closes its bank's gate", async () => {
  const environment = setUp();
  await environment.scheduler();
  await holdEverywhere(environment);
  await environment.credit(environment.uetrInPartition(0), { bank: second, businessDate: "2026-11-19" });
  await open(environment);
  await environment.declare();
  await environment.until("gate", () => gates(environment).length === 1);
  expect(gates(environment)).toEqual([`all but ${second}`]);
});

test("I8: a bank that declares for itself gets its own debits, once its own credits have ended, and no other bank gets any", async () => {
  const environment = setUp({ creditsFinal: "bank" });
  await environment.scheduler();
  await holdEverywhere(environment);
  const [ofSecond, ofThird] = [environment.uetrInPartition(0), environment.uetrInPartition(1)];
  await environment.credit(ofSecond, { bank: second });
  await environment.credit(ofThird, { bank: third });
  await open(environment);
  await environment.declare(second);
  await environment.declare(schedulerBank);
  await environment.until("released", () => releasedTo(environment).length === 1);
  await environment.time.advance(5_000);
  expect(releasedTo(environment)).toEqual([schedulerBank]);
  await environment.endCredit(ofSecond, second);
  await environment.until("released", () => releasedTo(environment).length === 2);
  await environment.time.advance(5_000);
  expect(releasedTo(environment)).toEqual([schedulerBank, second]);
  expect(gates(environment)).toEqual([schedulerBank, second]);
});

/** Fails every read of snapshots with the UETR while it is switched on: the partition makes no progress. */
function lagging(options: SchedulerEnvironmentOptions = {}) {
  const state = { stuck: "" };
  const isStuck = (key: string): boolean => state.stuck !== "" && key.includes(state.stuck);
  const environment = setUp({
    ...options,
    storeHooks: { fault: ({ operation, key }) => (operation === "transactions.load" && isStuck(key) ? "down" : "none") },
  });
  return { environment, state };
}

test("I8: a credit answered 202 before the declaration counts, however slow its partition is", async () => {
  const { environment, state } = lagging();
  await environment.scheduler();
  await holdEverywhere(environment);
  const slow = environment.uetrInPartition(1);
  state.stuck = slow;
  await environment.credit(slow, { bank: second });
  await open(environment);
  await environment.declare();
  await environment.until("two partitions answered", () => environment.named(topics.journal, "PartitionCredits").length === 2);
  await environment.time.advance(20_000);
  expect(gates(environment)).toEqual([]);
  state.stuck = "";
  await environment.until("gate", () => gates(environment).length === 1);
  expect(gates(environment)).toEqual([`all but ${second}`]);
  await environment.until("released", () => releasedTo(environment).length === 2);
  await environment.endCredit(slow, second);
  await environment.until("released", () => releasedTo(environment).length === 3);
});

test("I8: such a credit counts also if the partition changes its owner in between, before or after it has answered", async () => {
  const { environment, state } = lagging();
  const first = await environment.scheduler();
  await holdEverywhere(environment);
  const [slow, quick] = [environment.uetrInPartition(1), environment.uetrInPartition(0)];
  state.stuck = slow;
  await environment.credit(slow, { bank: second });
  await environment.credit(quick, { bank: third });
  await open(environment);
  await environment.declare();
  await environment.until("two partitions answered", () => environment.named(topics.journal, "PartitionCredits").length === 2);
  first.kill();
  await environment.time.advance(5_000);
  state.stuck = "";
  await environment.scheduler();
  await environment.until("gate", () => gates(environment).length === 1);
  expect(gates(environment)).toEqual([`all but ${second} ${third}`]);
  await environment.endCredit(slow, second);
  await environment.endCredit(quick, third);
  await environment.until("released", () => releasedTo(environment).length === 3);
});

test("I16: a bank that one owner named is reported clear by the next one, though its credit ended while no scheduler ran", async () => {
  for (const creditsFinal of ["connector", "bank"] as const) {
    const environment = setUp({ creditsFinal });
    const first = await environment.scheduler();
    await holdEverywhere(environment);
    const credit = environment.uetrInPartition(2);
    await environment.credit(credit, { bank: second });
    await open(environment);
    await environment.declare(creditsFinal === "bank" ? second : null);
    await environment.until("answered", () => environment.named(topics.journal, "PartitionCredits").length === 3);
    first.kill();
    await environment.endCredit(credit, second);
    await environment.time.advance(10_000);
    await environment.scheduler();
    await environment.until("released", () => releasedTo(environment).includes(second), 60_000);
    expect(gates(environment).at(-1)).toBe(second);
  }
});

test("I16: a named bank is reported clear also if the counted answer came late, from an owner that was cut off", async () => {
  // The first owner's answers, and everything it appends after them, are lost; the test then appends its
  // PartitionCredits, as if it had been delayed.
  const environment = setUp({
    partitionCount: 1,
    brokerHooks: {
      produce: (client, batch) =>
        client === "scheduler-1" && batch.some(({ headers }) => headers["sluice-type"] === "PartitionCredits")
          ? { kind: "lose-request" }
          : { kind: "append" },
    },
  });
  const first = await environment.scheduler();
  await holdEverywhere(environment);
  const credit = environment.uetr();
  await environment.credit(credit, { bank: second });
  await open(environment);
  await environment.declare();
  await environment.until("declared", () => environment.named(topics.journal, "CreditsDeclared").length === 1);
  await environment.time.advance(2_000);
  first.kill();
  await environment.endCredit(credit, second);
  const value = {
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    partition: 0,
    declaration: `${schedulerDay}:CreditsDeclared:1`,
    banksUnresolved: [second],
  };
  await environment.append(topics.journal, schedulerDay, { name: "PartitionCredits", value });
  await environment.scheduler();
  await environment.until("released", () => releasedTo(environment).length === 3, 60_000);
  expect(gates(environment)).toEqual([`all but ${second}`, second]);
});

/** Copies all documents as they are now, like a backup that is restored later. */
async function copyStore(environment: SchedulerEnvironment, uetrs: readonly string[]): Promise<Store> {
  const copy = environment.emptyStore();
  const documents = await environment.settle(environment.store.transactions.load(uetrs));
  await environment.settle(copy.transactions.write([...documents.values()].map((document) => ({ document, expectedVersion: 0 }))));
  for (const open of await environment.settle(environment.store.days.open())) await environment.settle(copy.days.write(open, 0));
  for (const { service, partition, position, state } of await environment.settle(environment.store.partitions.list("scheduler"))) {
    const taken = await environment.settle(copy.partitions.takeOver(service, partition));
    await environment.settle(copy.partitions.write(service, partition, taken, position, state));
  }
  return copy;
}

test.each(["an older point", "nothing"])(
  "I8: such a credit counts also if the store is restored to %s while the gate waits",
  async (point) => {
    const environment = setUp();
    const first = await environment.scheduler();
    await holdEverywhere(environment);
    const credits = [0, 1, 2].map((partition) => environment.uetrInPartition(partition));
    await environment.credit(credits[0]!, { bank: second });
    await environment.time.advance(3_000);
    const older = point === "nothing" ? environment.emptyStore() : await copyStore(environment, [credits[0]!, ...heldIn(environment)]);
    await environment.credit(credits[1]!, { bank: second });
    await environment.credit(credits[2]!, { bank: third });
    await open(environment);
    await environment.declare();
    await environment.until("excepted", () => gates(environment).length === 1);
    await environment.endCredit(credits[0]!, second);
    await environment.time.advance(2_000);
    first.kill();
    environment.store = older;
    await environment.scheduler();
    await environment.time.advance(10_000);
    expect(releasedTo(environment)).toEqual([schedulerBank]);
    await environment.endCredit(credits[1]!, second);
    await environment.endCredit(credits[2]!, third);
    await environment.until("released", () => releasedTo(environment).length === 3, 60_000);
    expect(gates(environment)[0]).toBe(`all but ${second} ${third}`);
  },
);

const heldIn = (environment: SchedulerEnvironment): readonly string[] =>
  environment
    .named(topics.journal, "DirectDebitReceived")
    .map(({ decoded }) => decoded.value.debit.transactionIdentifiers.uetr.toLowerCase());

test.each([1, 2, 3, 4, 5, 6])(
  "I8, I16: with crashes, a failing store and lost answers no gate opens early, and all open in the end (%i)",
  async (seed) => {
    const random = seededRandom(`gate-${seed}`);
    const kinds = ["down", "ambiguous", "torn", "none", "none", "none", "none", "none", "none"] as const;
    let isHealed = false;
    const environment = setUp({
      seed,
      storeHooks: { fault: () => (isHealed ? "none" : kinds[Math.floor(random.fraction() * kinds.length)]!) },
      brokerHooks: {
        produce: (client) => ({ kind: client !== "test" && !isHealed && random.fraction() < 0.05 ? "lose-answer" : "append" }),
      },
    });
    let owner = await environment.scheduler();
    await environment.until("planned", () => environment.named(topics.journal, "DayPlanned").length >= 8);
    const endings = new Map<string, string>();
    for (let index = 0; index < 12; index += 1) {
      const to = [second, third][index % 2]!;
      const uetr = environment.uetr();
      endings.set(uetr, to);
      await environment.credit(uetr, { bank: to, deadlineMs: schedulerStartAtMs + 600_000 });
      if (index === 8) await environment.declare();
    }
    await holdEverywhere(environment);
    for (const [uetr, to] of endings) {
      await environment.endCredit(uetr, to);
      await environment.time.advance(Math.floor(random.fraction() * 1_500));
      if (random.fraction() > 0.25) continue;
      owner.kill();
      owner = await environment.scheduler();
    }
    isHealed = true;
    await environment.until("released", () => releasedTo(environment).length === 3, 45_000);
    expect(environment.time.nowMs()).toBeGreaterThan(opensAtMs);
    expectNothingEarly(environment, endings);
    expect(owner.failures).toEqual([]);
  },
);
