// A pause with an end, through the whole scheduler: held debits are released by themselves when it is over.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { schedulerBank, closesAtMs, opensAtMs, schedulerStartAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { pauseRecord, resumeRecord } from "../operator-records.fixture.ts";

const key = `bank:${schedulerBank}`;
const untilMs = opensAtMs + 20_000;

function debitsSent(environment: SchedulerEnvironment) {
  return environment.named(topics.dispatch, "Dispatch").filter(({ decoded: { value } }) => value.operation === "inboundDirectDebit");
}

async function opened(environment: SchedulerEnvironment): Promise<void> {
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length >= environment.partitionCount);
}

/** Holds debits of one partition, the oldest first. */
async function holdDebits(environment: SchedulerEnvironment, count: number): Promise<readonly string[]> {
  const uetrs = Array.from({ length: count }, () => environment.uetr());
  for (const [index, uetr] of uetrs.entries()) await environment.hold(uetr, schedulerStartAtMs - 1_000 + index);
  return uetrs;
}

test("I8: during a maintenance nothing is released; at its end everything is, in order and without an operator [D9 pause]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await holdDebits(environment, 5);
  await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p1", untilMs));
  await opened(environment);
  await environment.time.advance(untilMs - 1 - environment.time.nowMs());
  expect(environment.named(topics.journal, "Release")).toEqual([]);
  await environment.until("released", () => debitsSent(environment).length === 5);
  expect(debitsSent(environment).map(({ decoded }) => decoded.value.uetr)).toEqual(uetrs);
  const releases = environment.named(topics.journal, "Release");
  expect(releases).toHaveLength(5);
  expect(releases[0]?.appendedAtMs).toBeGreaterThanOrEqual(untilMs);
  expect(environment.time.nowMs()).toBeLessThan(untilMs + 1_000);
});

test("I8: if the broker clock runs ahead of append times, one Release a second tries the end, and the order is kept", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await holdDebits(environment, 5);
  await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p1", untilMs));
  await opened(environment);
  await environment.time.advance(untilMs - 500 - environment.time.nowMs());
  environment.brokerAheadMs = -3_000;
  await environment.until("released", () => debitsSent(environment).length === 5);
  expect(debitsSent(environment).map(({ decoded }) => decoded.value.uetr)).toEqual(uetrs);
  const releases = environment.named(topics.journal, "Release");
  expect(releases.filter(({ appendedAtMs }) => appendedAtMs < untilMs).length).toBeLessThanOrEqual(4);
  expect(releases.filter(({ appendedAtMs }) => appendedAtMs >= untilMs)).toHaveLength(5);
});

test("I8: the last pause's end counts, and a resume ends it early", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  await environment.scheduler();
  await holdDebits(environment, 3);
  await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p1", untilMs));
  await opened(environment);
  await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p2", untilMs + 10_000));
  await environment.time.advance(untilMs + 9_000 - environment.time.nowMs());
  expect(environment.named(topics.journal, "Release")).toEqual([]);
  await environment.append(topics.journal, key, resumeRecord(schedulerBank));
  await environment.until("released", () => debitsSent(environment).length === 3);
  expect(environment.time.nowMs()).toBeLessThan(untilMs + 10_000);
  expect((await environment.settle(environment.store.banks.load([schedulerBank]))).get(schedulerBank)).toMatchObject({
    isPaused: false,
    untilMs: null,
    pauses: 2,
  });
});

test("I8: a maintenance survives its scheduler, and the next one releases at its end or after", async () => {
  for (const dieAfterMs of [2, 15, 60, 3_000, 25_000]) {
    const environment = new SchedulerEnvironment({ partitionCount: 2 });
    const first = await environment.scheduler();
    await holdDebits(environment, 3);
    await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p1", untilMs));
    await environment.time.advance(dieAfterMs);
    first.kill();
    await environment.scheduler();
    await environment.until("released", () => debitsSent(environment).length === 3);
    expect(Math.min(...environment.named(topics.journal, "Release").map(({ appendedAtMs }) => appendedAtMs))).toBeGreaterThanOrEqual(
      untilMs,
    );
  }
});

test("I10: an item's cause is the pause only if it held at the close", async () => {
  for (const [endMs, cause] of [
    [closesAtMs + 5_000, "BANK_PAUSED"],
    [closesAtMs - 5_000, "none"],
  ] as const) {
    const environment = new SchedulerEnvironment();
    await environment.scheduler();
    const uetr = environment.uetr();
    await environment.hold(uetr);
    await environment.append(topics.journal, key, pauseRecord(schedulerBank, "p1", endMs));
    await environment.until("closed", () => environment.named(topics.journal, "DayReconciled").length >= environment.partitionCount);
    await environment.time.advance(1_000);
    const { items = [] } = (await environment.document(uetr))?.transaction ?? {};
    expect([items.some((item) => item.cause === "BANK_PAUSED"), debitsSent(environment).length > 0]).toEqual([
      cause === "BANK_PAUSED",
      cause === "none",
    ]);
  }
});
