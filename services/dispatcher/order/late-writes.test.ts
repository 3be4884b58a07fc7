// Writes of parked rows that reach the store late, from an owner that is gone: they lose against the present owner's.

import { createMetrics } from "@sluice/service";
import type { StoreCall } from "@sluice/store";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const lateMs = 20_000;
const one = { messageIdentification: dispatchMessageId(1) };

/** Makes the next call of this operation take effect 20 s later. Returns a function that tells whether it was made. */
function delayNext(environment: DispatcherEnvironment, operation: StoreCall["operation"]): () => boolean {
  let isMade = false;
  environment.hooks.store.slowMs = lateMs;
  environment.hooks.store.fault = (call) => {
    if (isMade || call.operation !== operation) return "none";
    isMade = true;
    return "slow";
  };
  return () => isMade;
}

/** Kills the first owner while its write waits in the store. Resolves with the time at which that write lands. */
async function killDuring(
  environment: DispatcherEnvironment,
  operation: StoreCall["operation"],
  answers: Parameters<DispatcherEnvironment["answers"]>[0],
): Promise<number> {
  const first = await environment.start();
  environment.answers(answers);
  const isDelayed = delayNext(environment, operation);
  await environment.dispatch(one);
  await environment.until(isDelayed);
  first.kill();
  return environment.time.nowMs() + lateMs;
}

/** No insert reaches the store until the late one has landed. */
function refuseInsertsUntil(environment: DispatcherEnvironment, landsAtMs: number): void {
  environment.hooks.store.fault = ({ operation }) =>
    operation === "deliveries.insert" && environment.time.nowMs() <= landsAtMs ? "down" : "none";
}

function outcomes(environment: DispatcherEnvironment): readonly string[] {
  return environment.ended().map(({ outcome }) => outcome);
}

/** The first owner's insert lands after the second one has delivered the message; then no owner is left. */
async function deliverBeforeLateInsert(): Promise<DispatcherEnvironment> {
  const environment = createDispatcherEnvironment();
  await killDuring(environment, "deliveries.insert", ({ attempt }) => [503][attempt - 1] ?? 202);
  const second = await environment.start();
  await environment.until(() => outcomes(environment).includes("ACKNOWLEDGED"), lateMs);
  await environment.time.advance(lateMs + minuteMs);
  await second.stop();
  expect((await environment.parked("deliveries")).map(({ ended }) => ended)).toEqual([null]);
  return environment;
}

describe("a write of an owner that is gone", { timeout: 30_000 }, () => {
  it("I3, I5: an update that lands after the next owner's refusal does not bring the message back", async () => {
    const environment = createDispatcherEnvironment();
    const landsAtMs = await killDuring(environment, "deliveries.update", ({ attempt }) => [503, 503, 422][attempt - 1] ?? 202);
    const second = await environment.start();
    await environment.until(() => outcomes(environment).includes("REFUSED"), lateMs);
    expect(environment.time.nowMs()).toBeLessThan(landsAtMs);
    await environment.time.advance(lateMs + minuteMs);
    await second.stop();
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(outcomes(environment)).toEqual(["REFUSED"]);
    expect(environment.received.map(({ status }) => status)).toEqual([503, 503, 422]);
    expect((await environment.parked("deliveries")).map(({ ended }) => ended)).toEqual(["refused"]);
  });

  it("I3, I5: an insert that lands before the next owner stores its refusal does not stand for it", async () => {
    const environment = createDispatcherEnvironment();
    const landsAtMs = await killDuring(environment, "deliveries.insert", ({ attempt }) => [503, 422][attempt - 1] ?? 202);
    refuseInsertsUntil(environment, landsAtMs);
    const second = await environment.start();
    await environment.until(() => outcomes(environment).includes("REFUSED"), lateMs + minuteMs);
    expect(environment.time.nowMs()).toBeGreaterThan(landsAtMs);
    // The refusal is in the journal, and no owner has marked it as reported.
    second.kill();
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(new Set(outcomes(environment))).toEqual(new Set(["REFUSED"]));
    expect(environment.received.map(({ status }) => status)).toEqual([503, 422]);
  });

  it("I3: an insert that lands after the next owner's delivery is removed at the take-over after it, and never tried", async () => {
    const environment = await deliverBeforeLateInsert();
    const third = await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received.map(({ status }) => status)).toEqual([503, 202]);
    expect(outcomes(environment)).toEqual(["ACKNOWLEDGED"]);
    expect(await environment.parked("deliveries")).toEqual([]);
    await third.stop();
  });

  it("I3: an insert that lands after the next owner's delivery is not tried when that owner looks its key up", async () => {
    const environment = createDispatcherEnvironment();
    await killDuring(environment, "deliveries.insert", ({ attempt }) => [503][attempt - 1] ?? 202);
    await environment.start();
    await environment.until(() => outcomes(environment).includes("ACKNOWLEDGED"), lateMs);
    await environment.time.advance(lateMs + minuteMs);
    // Two more of its key: the first one fails once, and when it is gone the store is asked what the key has.
    const [debit, outcome] = [dispatchMessageId(1, "D"), dispatchMessageId(1, "S")];
    await environment.dispatch({ messageIdentification: debit }, { messageIdentification: outcome });
    await environment.until(() => environment.endedIds().has(outcome), 10 * minuteMs);
    await environment.time.advance(minuteMs);
    expect(environment.attemptsOf(one.messageIdentification).map(({ status }) => status)).toEqual([503, 202]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I1: an insert that lands before the next owner parks the message stands for it under the owners after that", async () => {
    const environment = createDispatcherEnvironment();
    const landsAtMs = await killDuring(environment, "deliveries.insert", ({ process }) => (process === "p3" ? 202 : 503));
    refuseInsertsUntil(environment, landsAtMs);
    const second = await environment.start();
    await environment.until(() => environment.received.length === 2, lateMs);
    // The pause keeps the second owner from another attempt, which would write the row again.
    await environment.pause();
    await environment.time.advance(lateMs + minuteMs);
    await second.stop();
    const [document] = await environment.during(environment.store.partitions.list("dispatcher"));
    expect(document?.position).toBe(2n);
    await environment.start();
    await environment.resume(2);
    await environment.until(() => outcomes(environment).includes("ACKNOWLEDGED"), 30 * minuteMs);
    await environment.time.advance(minuteMs);
    expect(environment.received.map(({ status }) => status)).toEqual([503, 503, 202]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I1: what a killed owner parked beyond its position is tried by the owners after it", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(({ process }) => (process === "p3" ? 202 : 503));
    await environment.dispatch(one);
    await environment.pause();
    environment.hooks.store.fault = ({ operation }) => (operation === "partitions.write" ? "down" : "none");
    await environment.time.advance(minuteMs);
    first.kill();
    environment.hooks.store.fault = () => "none";
    const second = await environment.start();
    await environment.time.advance(minuteMs);
    await second.stop();
    const [document] = await environment.during(environment.store.partitions.list("dispatcher"));
    expect(document).toMatchObject({ position: 2n, state: { takeOvers: [{ ownerEpoch: 2, position: "0" }] } });
    await environment.start();
    await environment.resume(2);
    await environment.until(() => outcomes(environment).includes("ACKNOWLEDGED"), 30 * minuteMs);
  });

  it("I3: an insert that lands after the next owner's delivery is not repeated once the day is closed", async () => {
    const environment = await deliverBeforeLateInsert();
    await environment.dayTimes(1, environment.time.nowMs() + minuteMs);
    await environment.time.advance(2 * minuteMs);
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received.map(({ status }) => status)).toEqual([503, 202]);
  });

  it("is counted and logged by its process, which gives the partition up", async () => {
    const metrics = createMetrics({ withProcess: false });
    const environment = createDispatcherEnvironment({ metrics });
    const first = await environment.start();
    environment.answers(({ attempt }) => [503, 503, 422][attempt - 1] ?? 202);
    const isDelayed = delayNext(environment, "deliveries.update");
    await environment.dispatch(one);
    await environment.until(isDelayed);
    first.client.cut(2 * minuteMs);
    await environment.start();
    await environment.until(() => outcomes(environment).includes("REFUSED"), lateMs);
    await environment.time.advance(lateMs + 1_000);
    const stale = environment.logged.filter(({ event }) => event === "delivery.stale-write");
    expect(stale.map(({ fields }) => fields)).toMatchObject([
      { id: one.messageIdentification, call: "update", result: "lost", ownerEpoch: 1, storedOwnerEpoch: 2 },
    ]);
    expect(environment.logged.filter(({ event }) => event === "partition.fenced")).toHaveLength(1);
    expect(await metrics.text()).toContain('sluice_delivery_stale_writes_total{call="update",result="lost"} 1');
    await environment.time.advance(10 * minuteMs);
    expect(environment.received.map(({ status }) => status)).toEqual([503, 503, 422]);
  });
});
