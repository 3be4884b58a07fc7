// What the partition worker passes to its background tasks, observed by what they append.

import { recordFromMarker, topics } from "@sluice/contracts";
import type { Marker, Transaction } from "@sluice/domain";
import { expect, test } from "vitest";
import type { FactToAppend } from "./append-facts.ts";
import { createQuarantineCount, quarantinedCountMax } from "./quarantine-count.ts";
import {
  schedulerBank,
  schedulerBusinessDate,
  creditDeadlineMs,
  schedulerDay,
  reconciliationAtMs,
  schedulerStartAtMs,
  SchedulerEnvironment,
} from "../scheduler.fixture.ts";
import { openTestWorker } from "../partition/open-worker.fixture.ts";

test("I16: a deadline that was appended too early, by a broker clock that runs ahead, is appended again", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const aheadMs = 5_000;
  const asked: FactToAppend[] = [];
  const context = await environment.partitionContext({
    brokerClock: { observe: () => {}, nowMs: () => environment.time.nowMs() + aheadMs },
    append: (facts) => {
      asked.push(...facts.filter(({ fact }) => fact.kind === "DeadlinePassed"));
      return Promise.resolve(true);
    },
  });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  const uetr = environment.uetr();
  await environment.credit(uetr);
  await environment.settle(worker.handle(environment.broker.records({ topic: topics.journal, partition: 0 })));
  await environment.time.advance(creditDeadlineMs - aheadMs + 500);
  expect(asked).toHaveLength(1);
  const early = { name: "DeadlinePassed", value: { deadlineMs: schedulerStartAtMs + creditDeadlineMs } } as const;
  await environment.append(topics.journal, uetr, early);
  await environment.settle(worker.handle(environment.broker.records({ topic: topics.journal, partition: 0 }).slice(-1)));
  expect(await environment.states(uetr)).not.toContain("CREDIT_AUTH_RECONCILIATION");
  await environment.time.advance(2_000);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([uetr]));
});

test("the planned close of a day, and the close itself, are copied into every partition of dispatch too, and no other marker is", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  await environment.scheduler();
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length === 3);
  await environment.time.advance(reconciliationAtMs - schedulerStartAtMs);
  const markers = environment
    .records(topics.dispatch)
    .filter(({ key }) => key !== null && new TextDecoder().decode(key) === schedulerDay)
    .map(({ partition, decoded }) => `${decoded.name} in ${partition}`);
  expect(markers.toSorted()).toEqual(
    ["DayReconciled", "DayTimes"].flatMap((name) => [0, 1, 2].map((partition) => `${name} in ${partition}`)),
  );
  const planned = environment
    .named(topics.dispatch, "DayTimes")
    .filter(({ key }) => key !== null && new TextDecoder().decode(key) === schedulerDay);
  for (const { decoded, partition } of planned) expect(decoded.value).toMatchObject({ partition, reconciliationAtMs });
});

test("I16: an unreadable Release is made again, and delays no other debit of its bank", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const asked: FactToAppend[] = [];
  const context = await environment.partitionContext({
    append: (facts) => {
      asked.push(...facts.filter(({ fact }) => fact.kind === "Release"));
      return Promise.resolve(true);
    },
  });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  const handled = { count: 0 };
  const handle = async (): Promise<void> => {
    const records = environment.broker.records({ topic: topics.journal, partition: 0 }).slice(handled.count);
    handled.count += records.length;
    await environment.settle(worker.handle(records));
    await environment.time.advance(100);
  };
  const base = { scheme: "ZA_EFT", businessDate: schedulerBusinessDate };
  const markers: readonly Marker[] = [
    { ...base, kind: "WindowOpened", id: `${schedulerDay}:WindowOpened:1`, number: 1 },
    { ...base, kind: "GateOpened", id: `${schedulerDay}:GateOpened:1`, number: 1, banks: [schedulerBank], except: [] },
  ];
  for (const marker of markers) await environment.append(topics.journal, schedulerDay, recordFromMarker(marker, 0), 0);
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await handle();
  expect(asked.map(({ key }) => key)).toEqual([uetr]);
  // The journal has a different record than the task sent.
  await environment.appendRaw(0, new TextEncoder().encode(uetr), Uint8Array.of(7, 7, 7, 7, 7, 7));
  await handle();
  expect(asked.map(({ key }) => key)).toEqual([uetr, uetr]);
});

const quarantineMark: Transaction["quarantined"] = { sinceMs: 0, offset: 1n, records: 1 };

test("I15: beyond its bound the count says at least so many, and does not fall below before the next take-over", () => {
  const shown: number[] = [];
  const count = createQuarantineCount(0, { quarantined: { set: (value) => void shown.push(value) } });
  const uetrs = Array.from({ length: quarantinedCountMax - 1 }, (_, index) => `u-${index}`);
  count.fill(uetrs);
  count.observe({ uetr: "one-more", quarantined: quarantineMark });
  count.observe({ uetr: "beyond", quarantined: quarantineMark });
  // All that are remembered are replayed; the one beyond is still quarantined.
  for (const uetr of [...uetrs, "one-more"]) count.observe({ uetr, quarantined: null });
  expect([shown[0], shown[1], shown.at(-1)]).toEqual([quarantinedCountMax - 1, quarantinedCountMax, quarantinedCountMax]);
  count.stop();
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- the count is no array
  count.fill(["beyond"]);
  expect(shown.at(-1)).toBe(1);
  count.observe({ uetr: "beyond", quarantined: null });
  expect(shown.at(-1)).toBe(0);
});
