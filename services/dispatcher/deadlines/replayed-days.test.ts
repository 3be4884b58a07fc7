// The store of the dispatcher is lost, and its topic is read again from its first record.

import { topics } from "@sluice/contracts";
import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { describe, expect, it } from "vitest";
import { buildDispatch, buildStop, createDispatcherEnvironment, dispatchMessageId, dispatchUetr } from "../dispatcher.fixture.ts";

const dayMs = 86_400_000;
const schemes = ["ZA_EFT", "ZA_RTC", "ZA_RPP"];
const daysAgo = Array.from({ length: 30 }, (_, index) => 30 - index);

type Environment = ReturnType<typeof createDispatcherEnvironment>;

/** Appends the plan of a day that closed so many days ago, one message of it, and its reconciliation. */
async function appendDay(environment: Environment, scheme: string, ago: number, number: number): Promise<void> {
  const closedAtMs = deliveryStartMs - ago * dayMs;
  const businessDate = new Date(closedAtMs).toISOString().slice(0, 10);
  const key = `${scheme}:${businessDate}`;
  const marker = { id: `${key}:1:0`, scheme, businessDate, number: 1, partition: 0 };
  const value = buildDispatch({ messageIdentification: dispatchMessageId(number), reconciliationDay: key });
  await environment.append(topics.dispatch, [
    { key, decoded: { name: "DayTimes", value: { ...marker, reconciliationAtMs: closedAtMs, calendarVersion: "1" } }, partition: 0 },
    { key: dispatchUetr(number), decoded: { name: "Dispatch", value } },
    { key, decoded: { name: "DayReconciled", value: marker }, partition: 0 },
  ]);
}

async function appendAllDays(environment: Environment): Promise<void> {
  let number = 0;
  for (const ago of daysAgo) {
    for (const scheme of schemes) {
      number += 1;
      await appendDay(environment, scheme, ago, number);
    }
  }
}

describe("thirty days of three schemes, read again without the store", { timeout: 30_000 }, () => {
  it("I3: nothing of a closed day is sent, by this owner or the next", async () => {
    const environment = createDispatcherEnvironment();
    await appendAllDays(environment);
    const first = await environment.start();
    await environment.time.advance(60_000);
    await first.stop();
    await environment.start();
    await environment.time.advance(30 * 60_000);
    expect(environment.received).toEqual([]);
  });

  it("I15: nothing of a closed day stays parked, and a stop that follows is answered", async () => {
    const environment = createDispatcherEnvironment();
    await appendAllDays(environment);
    await environment.stop(buildStop(1));
    await environment.start();
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(60_000);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, mayHaveBeenTaken: true }]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
