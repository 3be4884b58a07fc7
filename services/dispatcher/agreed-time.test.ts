// A dispatcher whose own clock is wrong: what ends attempts is judged by agreed time, that of the log.

import { topics } from "@sluice/contracts";
import { createWorld, startAtMs } from "@sluice/delivery/delivery-world";
import type { Time } from "@sluice/runtime";
import { describe, expect, it } from "vitest";
import { credit, dispatch, messageId } from "./dispatcher.fixture.ts";
import { startDispatcher } from "./service.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

async function givenClock(offByMs: number) {
  const off = (time: Time): Time => ({
    nowMs: () => time.nowMs() + offByMs,
    monotonicMs: () => time.monotonicMs(),
    after: (delayMs, action) => time.after(delayMs, action),
  });
  const world = createWorld({ start: (ports) => startDispatcher({ ...ports, time: off(ports.time) }) });
  await world.start();
  const send = async (value: ReturnType<typeof credit>): Promise<unknown> =>
    world.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "Dispatch", value } }]);
  return { world, send };
}

describe.each([
  ["an hour fast", hourMs],
  ["an hour slow", -hourMs],
])("with a clock that is %s", (_, offByMs) => {
  it("a credit is tried until its own time to stop by the log, and not after it", async () => {
    const { world, send } = await givenClock(offByMs);
    world.answers(() => 503);
    await send(credit(1, startAtMs + 30 * minuteMs));
    await world.time.advance(hourMs);
    const attempts = world.attemptsOf(messageId(1, "C"));
    expect(attempts.length).toBeGreaterThan(10);
    expect(attempts.filter(({ atMs }) => atMs >= startAtMs + 30 * minuteMs)).toEqual([]);
    expect(attempts.at(-1)?.atMs).toBeGreaterThan(startAtMs + 28 * minuteMs);
  });

  it("an answer with a deadline of its own ends by it, and one that is past is not tried", async () => {
    const { world, send } = await givenClock(offByMs);
    world.answers(() => 503);
    const answer = { closesWith: null, deliveryKey: "X" } as const;
    await send(dispatch({ ...answer, messageIdentification: messageId(1, "S"), deadlineMs: startAtMs + 10 * minuteMs }));
    await send(dispatch({ ...answer, messageIdentification: messageId(2, "S"), deadlineMs: startAtMs - minuteMs }));
    await world.time.advance(20 * minuteMs);
    const receipts = world.records(topics.receipts, "Receipt").map(({ webhookId, outcome }) => `${webhookId.slice(-3)} ${outcome}`);
    expect(receipts.toSorted()).toEqual(["01S EXPIRED", "02S EXPIRED"]);
    expect(world.attemptsOf(messageId(1, "S")).length).toBeGreaterThan(3);
    expect(world.attemptsOf(messageId(2, "S"))).toEqual([]);
  });
});
