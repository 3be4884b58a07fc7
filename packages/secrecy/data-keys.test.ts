import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createDataKeys } from "./data-keys.ts";
import { createMemoryKeyService } from "./key-service.fixture.ts";

const scope = "alpha/2026-11";
const minuteMs = 60_000;

async function open() {
  const time = createVirtualTime({ startAtMs: 1_795_000_000_000 });
  const service = createMemoryKeyService();
  const wrapped = (await service.create(scope))!.wrapped;
  const keys = createDataKeys({ service, time });
  const settled = time.finish;
  async function pass(ms: number): Promise<void> {
    const untilMs = time.monotonicMs() + ms;
    time.after(ms, () => {});
    await time.run({ until: () => time.monotonicMs() >= untilMs, stepsMax: 10_000 });
  }
  return { time, service, wrapped, keys, settled, pass };
}

test("what is missing at the same moment is asked for in one call", async () => {
  const { service, keys, settled } = await open();
  const scopes = Array.from({ length: 50 }, (_, at) => `bank-${at}/2026-11`);
  const made = await Promise.all(scopes.map(async (one) => ({ one, wrapped: (await service.create(one))!.wrapped })));
  await settled(Promise.all([...made, ...made].map(({ one, wrapped }) => keys.fetch(one, wrapped))));
  expect(service.unwraps()).toBe(1);
  expect(made.every(({ one, wrapped }) => keys.find(one, wrapped) !== undefined)).toBe(true);
});

test("a destroyed key is forgotten once it was kept for five minutes", async () => {
  const { service, wrapped, keys, settled, pass } = await open();
  await settled(keys.fetch(scope, wrapped));
  await service.destroy(scope);
  await pass(4 * minuteMs);
  expect(keys.find(scope, wrapped)).not.toBeNull();
  await pass(2 * minuteMs);
  keys.find(scope, wrapped);
  await pass(1_000);
  expect(keys.find(scope, wrapped)).toBeNull();
});

test("while the service is away a key is used for an hour, and not longer", async () => {
  const { service, wrapped, keys, settled, pass } = await open();
  await settled(keys.fetch(scope, wrapped));
  service.setAvailable(false);
  for (let at = 0; at < 59; at += 1) {
    await pass(minuteMs);
    expect(keys.find(scope, wrapped)).toBeTruthy();
  }
  await pass(2 * minuteMs);
  expect(keys.find(scope, wrapped)).toBeUndefined();
});

test("I15: at most 10,000 keys are kept, the newest of them", async () => {
  const { service, keys, settled } = await open();
  const made = await Promise.all(
    Array.from({ length: 10_100 }, async (_, at) => ({
      one: `b-${at}/2026-11`,
      wrapped: (await service.create(`b-${at}/2026-11`))!.wrapped,
    })),
  );
  for (let from = 0; from < made.length; from += 1_000) {
    await settled(Promise.all(made.slice(from, from + 1_000).map(({ one, wrapped }) => keys.fetch(one, wrapped))));
  }
  const found = made.filter(({ one, wrapped }) => keys.find(one, wrapped) !== undefined);
  expect([found.length, found.at(-1)?.one]).toEqual([10_000, "b-10099/2026-11"]);
});

test("a forged key that is asked for at the same moment fails alone: the others are at hand", async () => {
  const { service, wrapped, keys, settled } = await open();
  const forged = { scope: "beta/2026-11", wrapped: Buffer.from("gamma/2026-11 1") };
  await service.create(forged.scope);
  const asked = Promise.allSettled([keys.fetch(forged.scope, forged.wrapped), keys.fetch(scope, wrapped)]);
  expect((await settled(asked)).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(keys.find(scope, wrapped)).toBeTruthy();
});

test("once a process seals in a new month, it has no key of its own for the month before", async () => {
  const { keys, settled } = await open();
  for (const one of ["alpha/2026-10", "beta/2026-10", "alpha/2026-11"]) await settled(keys.makeOwn(one));
  const own = ["alpha/2026-10", "beta/2026-10", "alpha/2026-11"].map((one) => keys.own(one) !== undefined);
  expect(own).toEqual([false, false, true]);
});
