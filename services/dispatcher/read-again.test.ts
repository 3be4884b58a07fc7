import { groups } from "@sluice/contracts";
import { stoppedKeptMs } from "@sluice/delivery";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const one = { messageIdentification: messageId(1) };

async function inStore(world: DispatcherWorld): Promise<(string | null)[]> {
  const kept = await world.during(world.store.deliveries.ofLane(0, null, 100));
  return kept.map(({ ended }) => ended);
}

/** No position is written any more. */
function holdPosition(world: DispatcherWorld): void {
  world.hooks.store.fault = ({ operation }) => (operation === "lanes.write" ? "down" : "none");
}

function heal(world: DispatcherWorld): void {
  world.hooks.store.fault = () => "none";
}

/** A message that the bank refuses; it would take a second attempt. */
async function refused({ isPositionHeld = false } = {}) {
  const world = dispatcherWorld();
  const process = await world.start();
  if (isPositionHeld) holdPosition(world);
  world.answers(({ attempt }) => (attempt === 1 ? 422 : 202));
  await world.dispatch(one);
  await world.until(() => world.ended().length === 1);
  return { world, process };
}

describe("a record that comes once more", { timeout: 30_000 }, () => {
  it("I3, I5: of a refused message that was stopped, after a crash before the position had passed it: not tried again", async () => {
    const { world, process } = await refused({ isPositionHeld: true });
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    await world.time.advance(1_000);
    process.kill();
    heal(world);
    await world.start();
    await world.time.advance(5 * minuteMs);
    expect(world.received).toHaveLength(1);
    expect(world.ended().filter(({ outcome }) => outcome === "ACKNOWLEDGED")).toEqual([]);
  });

  it("I3, I5: the same where the lane is dealt anew at once", async () => {
    const { world } = await refused({ isPositionHeld: true });
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    world.log.rebalance(groups.dispatcher);
    await world.time.advance(10_000);
    heal(world);
    await world.time.advance(5 * minuteMs);
    expect(world.received).toHaveLength(1);
  });

  it("I3, I5: of one that was stopped before it was refused or taken: the same", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    holdPosition(world);
    world.answers(({ attempt }) => (attempt === 1 ? 404 : 202));
    await world.dispatch(one);
    await world.until(() => world.received.length === 1);
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    await world.time.advance(1_000);
    process.kill();
    heal(world);
    await world.start();
    await world.time.advance(10 * minuteMs);
    expect(world.received).toHaveLength(1);
  });

  it.each(["this owner", "the next"])(
    "I3, I5: appended again by a replay, to %s: a refused message is not tried again, stopped or not",
    async (owner) => {
      const { world, process } = await refused();
      const anew = async (): Promise<void> => {
        if (owner === "this owner") return;
        await world.time.advance(1_000);
        await process.stop();
        await world.start();
      };
      await anew();
      await world.dispatch(one);
      await world.time.advance(minuteMs);
      expect(world.received).toHaveLength(1);
      await world.stop(stopOf(1));
      await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
      await world.dispatch(one);
      await world.stop(stopOf(1));
      await world.time.advance(minuteMs);
      expect(world.received).toHaveLength(1);
      expect(world.logged.filter(({ event }) => event === "delivery.read-again").length).toBeGreaterThanOrEqual(1);
    },
  );

  it("I3: so does an owner that comes long after the stop; then it is forgotten, and the store keeps nothing", async () => {
    const { world, process } = await refused();
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    await world.time.advance(1_000);
    await process.stop();
    await world.time.advance(stoppedKeptMs / 2);
    await world.start();
    await world.dispatch(one);
    await world.time.advance(minuteMs);
    expect(world.received).toHaveLength(1);
    expect(await inStore(world)).toEqual(["stopped"]);
    await world.time.advance(stoppedKeptMs);
    expect(await inStore(world)).toEqual([]);
  });

  it("I15: of a day that is over nothing is kept of what its close stops", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dispatch(one);
    await world.until(() => world.received.length > 0);
    await world.dayReconciled();
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    await world.time.advance(1_000);
    expect(await inStore(world)).toEqual([]);
  });

  it("what an operator has redriven is tried, and a stop is answered as often as it is read", async () => {
    const { world } = await refused();
    await world.redrive({});
    await world.until(() => world.ended().some(({ outcome }) => outcome === "ACKNOWLEDGED"));
    expect(world.received).toHaveLength(2);
    await world.stop(stopOf(1));
    await world.stop(stopOf(1));
    await world.until(() => world.ended().filter(({ outcome }) => outcome === "STOPPED").length === 2);
  });
});
