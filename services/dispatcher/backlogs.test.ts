// Two backlogs of one lane that do not fit in memory, one far behind the other.

import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, bank: string, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: messageId(from + index), bank }));

describe("a backlog that drains for long", { timeout: 30_000 }, () => {
  const banks = [sampleBank({ id: "first", connections: 1, concurrency: "fixed" }), sampleBank({ id: "second" })];
  const bounds = { pageMessagesMax: 16, scanMessagesMax: 5, scanSpacingMs: 100, takeOverMessagesMax: 20 };

  it("I14: does not keep another bank from the fast path after a take-over that could not read all of it", async () => {
    const world = dispatcherWorld({ banks, bounds });
    const before = await world.start();
    world.answers(() => 503);
    await world.dispatch(...many(400, "first"));
    await world.time.advance(minuteMs);
    await before.stop();
    world.answers(({ bank }) => (bank === "first" ? { status: 202, afterMs: 500 } : 202));
    await world.start();
    await world.time.advance(20_000);
    await world.dispatch(...many(5, "second", 1_000));
    await world.until(() => many(5, "second", 1_000).every(({ messageIdentification: id }) => world.endedIds().has(id)), 5_000);
    expect(world.endedIds().size).toBeLessThan(200);
    await world.until(() => world.endedIds().size === 405, 10 * minuteMs);
  });

  it("I14: does not keep another bank's backlog, which came later, from draining", async () => {
    const world = dispatcherWorld({ banks, bounds });
    await world.start();
    world.answers(() => 503);
    await world.dispatch(...many(900, "first"));
    await world.dispatch(...many(60, "second", 1_000));
    await world.time.advance(minuteMs);
    world.answers(() => 202);
    const seconds = many(60, "second", 1_000);
    await world.until(() => seconds.every(({ messageIdentification: id }) => world.endedIds().has(id)), minuteMs);
    expect(world.endedIds().size).toBeLessThan(600);
    await world.until(() => world.endedIds().size === 960, 10 * minuteMs);
  });
});
