// A planned stop of a scheduler, and the start of another one, under a steady load: the next owner of a partition
// begins at the position that the one before has written.

import { topics } from "@sluice/contracts";
import type { StoreCall, StoreFault } from "@sluice/store";
import { expect, test } from "vitest";
import { SchedulerEnvironment, type StartedScheduler } from "../scheduler.fixture.ts";

const betweenMs = 40;
const debits = 25;
/** Milliseconds of a call of the store that is slow, as on a machine without a processor to spare. */
const slowMs = 600;

/** Ids of what the scheduler has sent more than once. */
function repeats(environment: SchedulerEnvironment): readonly string[] {
  const ids = [
    ...environment.named(topics.dispatch, "Dispatch").map(({ decoded }) => decoded.value.messageIdentification),
    ...environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.id),
  ];
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

async function appendDebits(environment: SchedulerEnvironment): Promise<void> {
  for (let count = 0; count < debits; count += 1) {
    const uetr = environment.uetr();
    const debit = environment.debit(uetr);
    await environment.append(topics.journal, uetr, debit);
    await environment.append(topics.journal, uetr, environment.verdict(debit));
    await environment.time.advance(betweenMs);
  }
}

async function untilReady(environment: SchedulerEnvironment, schedulers: readonly StartedScheduler[]): Promise<void> {
  await environment.until("ready", () => schedulers.every((scheduler) => scheduler.readiness().isReady));
}

/** All are alike to the store, but those that write a partition's position. */
function slowPositions({ operation }: StoreCall): StoreFault {
  return operation === "partitions.write" ? "slow" : "none";
}

test.each([1, 2, 3, 4])(
  "I3: a scheduler that joins and one that stops repeat no message, also where the store is slow to write a position; seed %d [D10.40]",
  async (seed) => {
    const environment = new SchedulerEnvironment({ seed, partitionCount: 6, storeHooks: { fault: slowPositions, slowMs } });
    const first = await environment.scheduler();
    await untilReady(environment, [first]);
    await appendDebits(environment);
    const second = await environment.scheduler();
    await untilReady(environment, [first, second]);
    await appendDebits(environment);
    await first.stop();
    await appendDebits(environment);
    await untilReady(environment, [second]);
    await environment.time.advance(10_000);
    expect(environment.named(topics.dispatch, "Dispatch").length).toBeGreaterThanOrEqual(3 * debits);
    expect([repeats(environment), first.failures, second.failures]).toEqual([[], [], []]);
    await second.stop();
  },
);
