import { groups } from "@sluice/contracts";
import { stoppedKeptMs } from "@sluice/delivery";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, buildStop, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const one = { messageIdentification: dispatchMessageId(1) };

async function inStore(environment: DispatcherEnvironment): Promise<(string | null)[]> {
  const kept = await environment.during(environment.store.deliveries.listByPartition(0, null, 100));
  return kept.map(({ ended }) => ended);
}

/** Lets every write of the position fail. */
function holdPosition(environment: DispatcherEnvironment): void {
  environment.hooks.store.fault = ({ operation }) => (operation === "partitions.write" ? "down" : "none");
}

function heal(environment: DispatcherEnvironment): void {
  environment.hooks.store.fault = () => "none";
}

/** Sends a message that the bank refuses; it would accept a second attempt. */
async function refused({ isPositionHeld = false } = {}) {
  const environment = createDispatcherEnvironment();
  const process = await environment.start();
  if (isPositionHeld) holdPosition(environment);
  environment.answers(({ attempt }) => (attempt === 1 ? 422 : 202));
  await environment.dispatch(one);
  await environment.until(() => environment.ended().length === 1);
  return { environment, process };
}

describe("a record that is read again", { timeout: 30_000 }, () => {
  it("I3, I5: a refused and stopped message is not tried again after a crash before the position moved past it", async () => {
    const { environment, process } = await refused({ isPositionHeld: true });
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    await environment.time.advance(1_000);
    process.kill();
    heal(environment);
    await environment.start();
    await environment.time.advance(5 * minuteMs);
    expect(environment.received).toHaveLength(1);
    expect(environment.ended().filter(({ outcome }) => outcome === "ACKNOWLEDGED")).toEqual([]);
  });

  it("I3, I5: a refused and stopped message is not tried again if the partition is assigned again at once", async () => {
    const { environment } = await refused({ isPositionHeld: true });
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    environment.broker.rebalance(groups.dispatcher);
    await environment.time.advance(10_000);
    heal(environment);
    await environment.time.advance(5 * minuteMs);
    expect(environment.received).toHaveLength(1);
  });

  it("I3, I5: a message that was stopped before it was refused or taken is not tried again", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    holdPosition(environment);
    environment.answers(({ attempt }) => (attempt === 1 ? 404 : 202));
    await environment.dispatch(one);
    await environment.until(() => environment.received.length === 1);
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    await environment.time.advance(1_000);
    process.kill();
    heal(environment);
    await environment.start();
    await environment.time.advance(10 * minuteMs);
    expect(environment.received).toHaveLength(1);
  });

  it.each(["this owner", "the next"])(
    "I3, I5: appended again by a replay, to %s: a refused message is not tried again, stopped or not",
    async (owner) => {
      const { environment, process } = await refused();
      const startAgain = async (): Promise<void> => {
        if (owner === "this owner") return;
        await environment.time.advance(1_000);
        await process.stop();
        await environment.start();
      };
      await startAgain();
      await environment.dispatch(one);
      await environment.time.advance(minuteMs);
      expect(environment.received).toHaveLength(1);
      await environment.stop(buildStop(1));
      await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
      await environment.dispatch(one);
      await environment.stop(buildStop(1));
      await environment.time.advance(minuteMs);
      expect(environment.received).toHaveLength(1);
      expect(environment.logged.filter(({ event }) => event === "delivery.read-again").length).toBeGreaterThanOrEqual(1);
    },
  );

  it("I3: an owner that comes long after the stop ends it the same; then it is forgotten, and the store keeps nothing", async () => {
    const { environment, process } = await refused();
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    await environment.time.advance(1_000);
    await process.stop();
    await environment.time.advance(stoppedKeptMs / 2);
    await environment.start();
    await environment.dispatch(one);
    await environment.time.advance(minuteMs);
    expect(environment.received).toHaveLength(1);
    expect(await inStore(environment)).toEqual(["stopped"]);
    await environment.time.advance(stoppedKeptMs);
    expect(await inStore(environment)).toEqual([]);
  });

  it("I15: nothing is kept of the messages that the close of a day stops once the day is over", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(one);
    await environment.until(() => environment.received.length > 0);
    await environment.dayReconciled();
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    await environment.time.advance(1_000);
    expect(await inStore(environment)).toEqual([]);
  });

  it("a stop of a refused message is answered as often as it is read", async () => {
    const { environment } = await refused();
    await environment.stop(buildStop(1));
    await environment.stop(buildStop(1));
    await environment.time.advance(minuteMs);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "STOPPED", "STOPPED"]);
  });

  it("a redriven message is tried, and its acknowledgement answers a stop that follows", async () => {
    const { environment } = await refused();
    await environment.redrive({});
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "ACKNOWLEDGED"));
    expect(environment.received).toHaveLength(2);
    await environment.stop(buildStop(1));
    await environment.time.advance(minuteMs);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED"]);
  });
});
