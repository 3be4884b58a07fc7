// A dispatcher whose own clock is wrong: the broker clock decides when attempts end.

import { topics } from "@sluice/contracts";
import { createDeliveryTestEnvironment, deliveryStartMs } from "@sluice/delivery/delivery-environment";
import type { Time } from "@sluice/kernel";
import { describe, expect, it } from "vitest";
import { buildCreditDispatch, buildDispatch, dispatchMessageId } from "../dispatcher.fixture.ts";
import { startDispatcher } from "../service.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

async function setUpClock(offByMs: number) {
  const off = (time: Time): Time => ({
    nowMs: () => time.nowMs() + offByMs,
    monotonicMs: () => time.monotonicMs(),
    after: (delayMs, action) => time.after(delayMs, action),
  });
  const environment = createDeliveryTestEnvironment({ start: (ports) => startDispatcher({ ...ports, time: off(ports.time) }) });
  await environment.start();
  const send = async (value: ReturnType<typeof buildCreditDispatch>): Promise<unknown> =>
    environment.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "Dispatch", value } }]);
  return { environment, send };
}

describe.each([
  ["an hour fast", hourMs],
  ["an hour slow", -hourMs],
])("with a clock that is %s", (_, offByMs) => {
  it("a credit is tried until its own deadline by the broker clock, and not after it", async () => {
    const { environment, send } = await setUpClock(offByMs);
    environment.answers(() => 503);
    await send(buildCreditDispatch(1, deliveryStartMs + 30 * minuteMs));
    await environment.time.advance(hourMs);
    const attempts = environment.attemptsOf(dispatchMessageId(1, "C"));
    expect(attempts.length).toBeGreaterThan(10);
    expect(attempts.filter(({ atMs }) => atMs >= deliveryStartMs + 30 * minuteMs)).toEqual([]);
    expect(attempts.at(-1)?.atMs).toBeGreaterThan(deliveryStartMs + 28 * minuteMs);
  });

  it("a report with a deadline of its own ends at it, and one that is past is not tried", async () => {
    const { environment, send } = await setUpClock(offByMs);
    environment.answers(() => 503);
    const answer = { reconciliationDay: null, deliveryKey: "X" } as const;
    await send(buildDispatch({ ...answer, messageIdentification: dispatchMessageId(1, "S"), deadlineMs: deliveryStartMs + 10 * minuteMs }));
    await send(buildDispatch({ ...answer, messageIdentification: dispatchMessageId(2, "S"), deadlineMs: deliveryStartMs - minuteMs }));
    await environment.time.advance(20 * minuteMs);
    const receipts = environment.records(topics.receipts, "Receipt").map(({ webhookId, outcome }) => `${webhookId.slice(-3)} ${outcome}`);
    expect(receipts.toSorted()).toEqual(["01S EXPIRED", "02S EXPIRED"]);
    expect(environment.attemptsOf(dispatchMessageId(1, "S")).length).toBeGreaterThan(3);
    expect(environment.attemptsOf(dispatchMessageId(2, "S"))).toEqual([]);
  });
});
