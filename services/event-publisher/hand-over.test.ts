// A planned stop of an event publisher, and the start of another one, while store, broker and bank are slow, or while
// the bank stands still: as on a machine without a processor to spare.

import type { StoreCall, StoreFault } from "@sluice/store";
import { expect, test } from "vitest";
import { buildStages, createPublisherEnvironment } from "./event-publisher.fixture.ts";

const betweenMs = 40;
const uetrs = 20;
const stages = 3;

function slowWrites({ isWrite }: StoreCall): StoreFault {
  return isWrite ? "slow" : "none";
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "I3: a publisher that joins and one that stops send no event twice, also where store, broker and bank are slow; seed %d [D10.40]",
  async (seed) => {
    const environment = createPublisherEnvironment({ seed, partitionCount: 6 });
    environment.hooks.store.fault = slowWrites;
    Object.assign(environment.hooks.store, { slowMs: 600 });
    environment.hooks.log.produce = () => ({ kind: "append", delayMs: 400 });
    let answers = 0;
    environment.answers(() => {
      answers += 1;
      return { status: 202, afterMs: [5, 300, 1_700, 900][(answers * 7 + seed) % 4] ?? 5 };
    });
    let number = 0;
    const publishSome = async (): Promise<void> => {
      for (let count = 0; count < uetrs; count += 1) {
        number += 1;
        await environment.publish(...buildStages(number, stages));
        await environment.time.advance(betweenMs);
      }
    };
    const first = await environment.start();
    await environment.until(() => first.running.readiness().isReady);
    await publishSome();
    const second = await environment.start();
    await publishSome();
    await environment.until(() => second.running.readiness().isReady);
    await publishSome();
    await first.stop();
    await publishSome();
    await environment.until(() => new Set(environment.received.map(({ id }) => id)).size === number * stages);
    await environment.time.advance(20_000);
    const repeated = environment.received.filter(({ attempt }) => attempt > 1).map(({ id, process, atMs }) => `${id} ${process} ${atMs}`);
    expect([repeated, environment.failures]).toEqual([[], []]);
    await second.stop();
  },
);

test.each([1, 2, 3, 4, 5])(
  "I3: a bank that stood still when a publisher joined, and then answers within two seconds, gets no event twice; seed %d [D10.40]",
  async (seed) => {
    const environment = createPublisherEnvironment({ seed, partitionCount: 6 });
    let goesOnAtMs = 0;
    environment.answers(() => ({ status: 202, afterMs: Math.max(5, goesOnAtMs - environment.time.monotonicMs()) }));
    const first = await environment.start();
    await environment.until(() => first.running.readiness().isReady);
    goesOnAtMs = environment.time.monotonicMs() + 3_500;
    for (let number = 1; number <= uetrs; number += 1) await environment.publish(...buildStages(number, stages));
    await environment.time.advance(2_100);
    expect(environment.received.length).toBeGreaterThan(0);
    const second = await environment.start();
    await environment.until(() => second.running.readiness().isReady);
    await environment.until(() => new Set(environment.received.map(({ id }) => id)).size === uetrs * stages);
    await environment.time.advance(20_000);
    const repeated = environment.received.filter(({ attempt }) => attempt > 1).map(({ id, process, atMs }) => `${id} ${process} ${atMs}`);
    expect([repeated, environment.failures]).toEqual([[], []]);
    await first.stop();
    await second.stop();
  },
);
