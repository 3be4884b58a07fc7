// A store that is restored to an older point under a dispatcher that is idle, or only parks messages.

import { rowVersion } from "@sluice/delivery/delivery-environment";
import { lookIntervalMs } from "@sluice/messaging";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

/** Milliseconds until a look has begun, its lease is lost, and the partition was taken over again. */
const noticedWithinMs = 2 * lookIntervalMs;
const goneBack = [{ code: "delivery.store-gone-back" }];

describe("a store that goes back under a running dispatcher", { timeout: 30_000 }, () => {
  it("I1, I16: an idle process notices it without a record or a write, and ends", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.endedIds().size === 1);
    await environment.time.advance(1_000);
    const restore = environment.store.backUp();
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.endedIds().size === 2);
    await environment.time.advance(60_000);
    expect(environment.failures).toEqual([]);
    restore();
    await environment.time.advance(noticedWithinMs);
    expect(environment.failures).toMatchObject(goneBack);
  });

  it("I1: a message that the store lost behind the position that it still has is delivered by the successor", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    await environment.time.advance(1_000);
    const restore = environment.store.backUp();
    // The first waits for its answer, so that the position stays where it is; the second is parked meanwhile.
    environment.answers(({ id }) => (id === dispatchMessageId(1) ? "silent" : 503));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.received.length === 2);
    await environment.time.advance(200);
    expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([dispatchMessageId(2)]);
    restore();
    expect(await environment.parked("deliveries")).toEqual([]);
    await environment.until(() => environment.failures.length > 0, 30_000);
    expect(environment.failures).toMatchObject(goneBack);
    first.kill();
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 2, 60_000);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(1), dispatchMessageId(2)]));
  });

  it("I1: a position that lands in the restored store, behind what the store lost, goes back before the process ends", async () => {
    let isArmed = false;
    let restore = (): void => {};
    const environment = createDispatcherEnvironment();
    environment.hooks.store.observe = ({ operation }) => {
      if (!isArmed || operation !== "partitions.write") return;
      // The witness was read just before.
      isArmed = false;
      restore();
    };
    const first = await environment.start();
    await environment.time.advance(1_000);
    restore = environment.store.backUp();
    environment.answers(() => 503);
    isArmed = true;
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => !isArmed, 10_000);
    await environment.time.advance(20);
    const position = async () => {
      const listing = environment.store.partitions.list("dispatcher");
      await environment.time.advance(20);
      return (await listing)[0]?.position;
    };
    expect([await environment.parked("deliveries"), await position()]).toEqual([[], 1n]);
    await environment.until(() => environment.failures.length > 0, 30_000);
    expect([environment.failures, await position()]).toMatchObject([goneBack, 0n]);
    first.kill();
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 1, 60_000);
  });

  it("I1, I16: a message that ended after the copy was made, and is parked again by it, does not stay unnoticed", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1_000);
    const restore = environment.store.backUp();
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 1, 60_000);
    await environment.time.advance(60_000);
    expect([await environment.parked("deliveries"), environment.failures]).toEqual([[], []]);
    restore();
    await environment.time.advance(noticedWithinMs);
    expect(environment.failures).toMatchObject(goneBack);
    // The successor repeats it, with the same id, and the store has nothing of it.
    first.kill();
    const attempts = environment.received.length;
    await environment.start();
    await environment.until(() => environment.received.length > attempts, 60_000);
    await environment.time.advance(1_000);
    expect(new Set(environment.received.map(({ id }) => id))).toEqual(new Set([dispatchMessageId(1)]));
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I4: a message whose predecessor the store lost is not tried before it", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    const restore = environment.store.backUp();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "A") }, { messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.received.length === 2);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toHaveLength(2);
    restore();
    await environment.until(() => environment.failures.length > 0, 60_000);
    expect(environment.attemptsOf(dispatchMessageId(1, "D"))).toEqual([]);
    first.kill();
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 2, 60_000);
    const order = environment.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(order).toEqual([dispatchMessageId(1, "A"), dispatchMessageId(1, "D")]);
  });

  // A take-over that reads row by row is not over when the row is looked at.
  it.each([1, 1_000])(
    "I1: a take-over of before the restore, by pages of %d, removes no row of the restored store's next owner as a late one",
    async (scanMessagesMax) => {
      const [answered, waiting] = [dispatchMessageId(1), dispatchMessageId(2)];
      const environment = createDispatcherEnvironment({ bounds: { scanMessagesMax } });
      const { hooks, store } = environment;
      const first = await environment.start();
      await environment.time.advance(1_000);
      const restore = store.backUp();
      // The first waits for its answer, so that the position stays where it is; the second is parked meanwhile.
      environment.answers(({ id }) => (id === answered ? "silent" : 503));
      await environment.dispatch({ messageIdentification: answered }, { messageIdentification: waiting });
      await environment.until(() => environment.received.length === 2);
      await environment.time.advance(200);
      const row = (await environment.during(store.deliveries.load([waiting]))).get(waiting);
      first.kill();
      const second = await environment.start();
      await environment.until(() => environment.logged.filter(({ event }) => event === "partition.taken").length === 2);
      second.kill();

      // The store goes back while the third reads what is parked. The next owner's epoch is less than the third's.
      let isNextDone = false;
      let removals = 0;
      const playNextOwner = async () => {
        const held = await store.partitions.takeOver("dispatcher", 0);
        if (row !== undefined) await store.deliveries.insert([{ ...row, version: rowVersion(held.epoch, 1) }]);
        isNextDone = await store.partitions.write("dispatcher", 0, held, 2n);
      };
      let isRestored = false;
      hooks.store.fault = ({ operation }) => (operation === "deliveries.listByPartition" ? "slow" : "none");
      hooks.store.observe = ({ operation }) => {
        if (operation === "deliveries.remove") removals += 1;
        if (isRestored || operation !== "deliveries.listByPartition") return;
        isRestored = true;
        restore();
        void playNextOwner();
      };
      const third = await environment.start();
      const isOver = (): boolean => removals > 0 || environment.failures.length > 0 || environment.attemptsOf(waiting).length > 1;
      await environment.until(isOver, 60_000);
      await environment.time.advance(5);
      third.kill();
      hooks.store.fault = () => "none";
      expect(isNextDone).toBe(true);
      expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([waiting]);
      expect(removals).toBe(0);
      environment.answers(() => 202);
      await environment.start();
      await environment.until(() => environment.endedIds().has(waiting), 60_000);
    },
  );
});
