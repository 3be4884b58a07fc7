// A request to `sluice.transactions.v1` that lands late: after compaction the last record of a key is all that a table
// downstream has.

import { topics } from "@sluice/contracts";
import type { OutgoingRecord, ProduceFate } from "@sluice/messaging";
import { expect, test } from "vitest";
import { schedulerBank, SchedulerEnvironment } from "../scheduler.fixture.ts";

const landsAfterMs = 30_000;

/** Lets the first request of this client that has a snapshot land late. */
function landOneLate(late: string) {
  let isDone = false;
  return (client: string, batch: readonly OutgoingRecord[]): ProduceFate => {
    if (isDone || client !== late || !batch.some(({ topic }) => topic === topics.transactions)) return { kind: "append" };
    isDone = true;
    return { kind: "land-late", afterMs: landsAfterMs };
  };
}

function lastSnapshot(environment: SchedulerEnvironment, uetr: string): string {
  const { value } = environment
    .named(topics.transactions, "TransactionSnapshot")
    .findLast(({ decoded }) => decoded.value.uetr === uetr)!.decoded;
  return `${value.version} ${value.state}`;
}

async function newestSnapshot(environment: SchedulerEnvironment, uetr: string): Promise<string> {
  const { transaction } = (await environment.document(uetr))!;
  return `${transaction.version} ${transaction.state}`;
}

async function complete(environment: SchedulerEnvironment, uetr: string): Promise<void> {
  await environment.until("released", () => environment.events(uetr).length >= 5);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made", { bank: schedulerBank }));
  await environment.until("completed", () => environment.events(uetr).length === 7);
}

function countSnapshots(environment: SchedulerEnvironment): number {
  return environment.named(topics.transactions, "TransactionSnapshot").length;
}

test.for([1, 2, 3, 4])(
  "I6: the last snapshot of a key is the newest, also after a write of a process that is gone has landed (seed %i) [D10.36]",
  async (seed) => {
    const environment = new SchedulerEnvironment({ seed, brokerHooks: { produce: landOneLate("scheduler-1") } });
    const first = await environment.scheduler();
    const uetr = environment.uetr();
    await environment.append(topics.journal, uetr, environment.debit(uetr));
    await environment.time.advance(1_000);
    first.kill();
    await environment.scheduler();
    await environment.hold(uetr);
    await complete(environment, uetr);
    await environment.time.advance(landsAfterMs + 15_000);
    expect(lastSnapshot(environment, uetr)).toBe(await newestSnapshot(environment, uetr));
  },
);

test("I6: a late write of the process itself is followed by the newest snapshot", async () => {
  const environment = new SchedulerEnvironment({ brokerHooks: { produce: landOneLate("scheduler-1") } });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await complete(environment, uetr);
  await environment.time.advance(landsAfterMs + 15_000);
  expect(lastSnapshot(environment, uetr)).toBe(await newestSnapshot(environment, uetr));
});

test("I6: a late write is found between the owner's own records too", async () => {
  const environment = new SchedulerEnvironment({ brokerHooks: { produce: landOneLate("scheduler-1") } });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await complete(environment, uetr);
  for (let waitedMs = 0; waitedMs < landsAfterMs + 2_000; waitedMs += 500) {
    const other = environment.uetr();
    await environment.append(topics.journal, other, environment.debit(other));
    await environment.time.advance(500);
  }
  await environment.time.advance(15_000);
  expect(lastSnapshot(environment, uetr)).toBe(await newestSnapshot(environment, uetr));
});

test.each([0, 1, 2])(
  "I6: what landed while no scheduler ran is found by the next owner, also where %i readings end early",
  async (early) => {
    let isLate = false;
    let left = early;
    const environment = new SchedulerEnvironment({
      brokerHooks: {
        produce: landOneLate("scheduler-1"),
        fetch: (_, { topic }) => (isLate && topic === topics.transactions && left-- > 0 ? "behind" : "answer"),
      },
    });
    const first = await environment.scheduler();
    const uetr = environment.uetr();
    const debit = environment.debit(uetr);
    await environment.append(topics.journal, uetr, debit);
    await environment.time.advance(1_000);
    first.kill();
    const second = await environment.scheduler();
    await environment.append(topics.journal, uetr, environment.verdict(debit, "REFUSED"));
    await environment.until("rejected", () => environment.events(uetr).length >= 2);
    await environment.time.advance(1_000);
    await second.stop();
    await environment.time.advance(landsAfterMs);
    expect(lastSnapshot(environment, uetr)).toBe("1 RECEIVED");
    isLate = true;
    await environment.scheduler();
    await environment.time.advance(15_000);
    expect(lastSnapshot(environment, uetr)).toBe(await newestSnapshot(environment, uetr));
  },
);

test("without a late write no snapshot is sent again", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await complete(environment, uetr);
  await environment.time.advance(500);
  const before = countSnapshots(environment);
  await environment.time.advance(25_000);
  expect(countSnapshots(environment)).toBe(before);
});
