import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId } from "./dispatcher.fixture.ts";

const [one, another] = [messageId(1), messageId(2)];

describe("when our credentials for a bank are replaced", () => {
  it("I7: what waits for it is tried at once, whatever it waited for, and nothing of another bank", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })] });
    await world.start();
    world.answers(() => 404);
    await world.dispatch({ messageIdentification: one, bank: "first" }, { messageIdentification: another, bank: "second" });
    await world.until(() => world.attemptsOf(one).length === 1 && world.attemptsOf(another).length === 1);
    await world.time.advance(5_000);
    world.answers(() => 202);
    world.renewCredentials("first");
    await world.time.advance(1_000);
    expect([world.endedIds().has(one), world.endedIds().has(another)]).toEqual([true, false]);
    await world.until(() => world.endedIds().has(another), 300_000);
  });

  it("what the bank asked to wait for still waits", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first" })] });
    await world.start();
    world.answers(() => ({ status: 503, retryAfter: "60" }));
    await world.dispatch({ messageIdentification: one, bank: "first" });
    await world.until(() => world.attemptsOf(one).length === 1);
    world.answers(() => 202);
    world.renewCredentials("first");
    await world.time.advance(50_000);
    expect(world.attemptsOf(one).length).toBe(1);
    await world.until(() => world.endedIds().has(one), 15_000);
  });
});
