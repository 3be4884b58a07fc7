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

function outcomes(environment: DispatcherEnvironment): readonly string[] {
  return environment.ended().map(({ outcome }) => outcome);
}

/** The first owner's insert lands after the second one has delivered the message; then no owner is left. */
async function deliverBeforeLateInsert(): Promise<DispatcherEnvironment> {
  const environment = createDispatcherEnvironment();
  const first = await environment.start();
  environment.answers(({ attempt }) => [503][attempt - 1] ?? 202);
  const isDelayed = delayNext(environment, "deliveries.insert");
  await environment.dispatch(one);
  await environment.until(isDelayed);
  first.kill();
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
    const first = await environment.start();
    environment.answers(({ attempt }) => [503, 503, 422][attempt - 1] ?? 202);
    const isDelayed = delayNext(environment, "deliveries.update");
    await environment.dispatch(one);
    await environment.until(isDelayed);
    const landsAtMs = environment.time.nowMs() + lateMs;
    first.kill();
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
    const first = await environment.start();
    environment.answers(({ attempt }) => [503, 422][attempt - 1] ?? 202);
    const isDelayed = delayNext(environment, "deliveries.insert");
    await environment.dispatch(one);
    await environment.until(isDelayed);
    const landsAtMs = environment.time.nowMs() + lateMs;
    first.kill();
    environment.hooks.store.fault = ({ operation }) =>
      operation === "deliveries.insert" && environment.time.nowMs() <= landsAtMs ? "down" : "none";
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

  it("I3: an insert that lands after the next owner's delivery is repeated after a take-over, with the same id and bytes", async () => {
    const environment = await deliverBeforeLateInsert();
    environment.answers(() => 409);
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    // The duplicate code acknowledges what may be a repeat, so nothing is parked any more.
    expect(environment.received.map(({ status }) => status)).toEqual([503, 202, 409]);
    expect(new Set(environment.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(new Set(outcomes(environment))).toEqual(new Set(["ACKNOWLEDGED"]));
    expect(await environment.parked("deliveries")).toEqual([]);
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
