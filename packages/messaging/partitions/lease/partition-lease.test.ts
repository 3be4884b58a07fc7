import { silentLogger } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { confirmedAfterMs, type LeaseStore, PartitionLease, type PartitionLeaseOptions } from "./partition-lease.ts";
import { createPartitionWatch, lookIntervalMs } from "./partition-watch.ts";

interface Document {
  readonly epoch: number;
  readonly owners: readonly string[];
  readonly position: bigint;
}

/** Partition 0 of a store: the epoch and the position that were written last. */
function createLeaseStore(): LeaseStore<Document, string> & {
  readonly document: () => Document;
  readonly restore: (older: Document) => void;
} {
  let document: Document = { epoch: 0, owners: [], position: 0n };
  let raises = 0;
  return {
    document: () => document,
    restore: (older) => void (document = older),
    positions: () => Promise.resolve([{ partition: 0, ...document }]),
    takeOver() {
      raises += 1;
      const epoch = document.epoch + 1;
      document = { ...document, epoch, owners: [`${epoch}:${raises}`, ...document.owners] };
      return Promise.resolve(document);
    },
    write(_service, _partition, { epoch, owners }, position) {
      const isOurs = epoch === document.epoch && owners[0] === document.owners[0];
      if (isOurs) document = { ...document, position };
      return Promise.resolve(isOurs);
    },
    moveBack(_service, _partition, { epoch }, position) {
      const isOurs = epoch === document.epoch;
      if (isOurs) document = { ...document, position };
      return Promise.resolve(isOurs);
    },
  };
}

const time = () => createVirtualTime({ startAtMs: 0 });
type Options = PartitionLeaseOptions<Document, Document, string>;

/** A process with the lease of partition 0; what is taken over is the document. */
function createOwner(own: Partial<Options> & Pick<Options, "store" | "time">) {
  const events: string[] = [];
  const coordinator = { answeredAtMs: 0 };
  const assignment = new AbortController();
  const lease = new PartitionLease<Document, Document, string>({
    service: "scheduler",
    partition: 0,
    logger: { ...silentLogger, warn: (event, fields = {}) => events.push(`${event}: ${String(fields["reason"])}`) },
    watch: createPartitionWatch({ service: "scheduler", store: own.store, time: own.time, logger: silentLogger }),
    isWitnessMissing: () => Promise.resolve(false),
    assignmentOver: assignment.signal,
    heartbeatAgeMs: () => own.time.monotonicMs() - coordinator.answeredAtMs,
    takeOver: (document) => Promise.resolve(document),
    granted: ({ epoch }) => events.push(`granted ${epoch}`),
    lost: (epoch) => events.push(`lost ${epoch}`),
    drop: ({ epoch }, reason) => events.push(`dropped ${epoch}: ${reason}`),
    unconfirmed: () => events.push("unconfirmed"),
    ...own,
  });
  const heartbeat = (): void => void (coordinator.answeredAtMs = own.time.monotonicMs());
  return { lease, events, heartbeat, endAssignment: () => assignment.abort() };
}

const byAnother = "another owner has taken it over";

describe("the lease of a partition", () => {
  it("is granted under the epoch that the store raised, and writes under it", async () => {
    const store = createLeaseStore();
    const { lease, events } = createOwner({ store, time: time() });
    expect(lease.owned).toBeNull();
    const taken = await lease.take();
    expect([lease.owned, lease.epoch]).toEqual([taken, 1]);
    expect(await lease.write(1, 7n)).toBe(true);
    expect(store.document()).toEqual({ epoch: 1, owners: ["1:1"], position: 7n });
    expect(events).toEqual(["granted 1"]);
  });

  it("#2: is not taken by a process that stood still until its assignment may be another's, and the epoch stays that one's", async () => {
    const clock = time();
    const store = createLeaseStore();
    const zombie = createOwner({ store, time: clock });
    const owner = createOwner({ store, time: clock });
    await clock.advance(60_000);
    owner.heartbeat();
    await owner.lease.take();
    const late: unknown[] = [];
    void zombie.lease.take().catch((error: unknown) => late.push(error));
    await clock.advance(1_000);
    expect([await owner.lease.write(1, 3n), store.document()]).toEqual([true, { epoch: 1, owners: ["1:1"], position: 3n }]);
    zombie.endAssignment();
    await clock.advance(1);
    expect(late).toMatchObject([{ code: "messaging.lease-lost", isRetryable: true }]);
    expect([zombie.events, clock.pending()]).toEqual([[], 1]);
    owner.lease.close("the end of the test");
    expect(clock.pending()).toBe(0);
  });

  it("#2: is not taken for an assignment that ended while nobody had confirmed it, also once the coordinator answers again", async () => {
    const clock = time();
    const store = createLeaseStore();
    const { lease, events, heartbeat, endAssignment } = createOwner({ store, time: clock });
    await clock.advance(60_000);
    const late: unknown[] = [];
    void lease.take().catch((error: unknown) => late.push(error));
    endAssignment();
    heartbeat();
    await clock.advance(1_000);
    expect(late).toMatchObject([{ code: "messaging.lease-lost", isRetryable: true }]);
    expect([events, store.document().epoch]).toEqual([[], 0]);
  });

  it("#2: is taken once the coordinator answers again", async () => {
    const clock = time();
    const { lease, events, heartbeat } = createOwner({ store: createLeaseStore(), time: clock });
    await clock.advance(3_000);
    void lease.take();
    await clock.advance(500);
    expect(events).toEqual([]);
    heartbeat();
    await clock.advance(100);
    expect(events).toEqual(["granted 1"]);
    lease.close("the end of the test");
  });

  it("rejects as the take-over does, owns nothing, and can be taken by a later call", async () => {
    let failures = 1;
    const { lease, events } = createOwner({
      store: createLeaseStore(),
      time: time(),
      takeOver: (document) => (failures-- > 0 ? Promise.reject(new Error("the store is down")) : Promise.resolve(document)),
    });
    await expect(lease.take()).rejects.toThrow("the store is down");
    expect([lease.owned, events]).toEqual([null, []]);
    expect((await lease.take()).epoch).toBe(2);
    expect(events).toEqual(["granted 2"]);
  });

  it("#1, #2: two owners: the refused one drops at once what it owned, and takes it again only once the coordinator has confirmed it", async () => {
    const clock = time();
    const store = createLeaseStore();
    const first = createOwner({ store, time: clock });
    const late = createOwner({ store, time: clock });
    await first.lease.take();
    await late.lease.take();
    expect(await late.lease.write(2, 3n)).toBe(true);
    first.heartbeat();
    expect(await first.lease.write(1, 1n)).toBe(false);
    expect([first.lease.owned, first.lease.epoch, store.document().position]).toEqual([null, null, 3n]);
    expect(first.events).toEqual(["granted 1", "lost 1", `dropped 1: ${byAnother}`]);
    await clock.advance(2 * confirmedAfterMs);
    expect(first.events.slice(3)).toEqual(["unconfirmed", "unconfirmed"]);
    expect(store.document().epoch).toBe(2);
    first.heartbeat();
    await clock.advance(confirmedAfterMs);
    expect(first.events.slice(5)).toEqual(["granted 3"]);
    expect(await first.lease.write(3, 4n)).toBe(true);
    expect(await late.lease.write(2, 4n)).toBe(false);
    expect(late.events).toEqual(["granted 2", "lost 2", `dropped 2: ${byAnother}`]);
    first.lease.close("the end of the test");
    late.lease.close("the end of the test");
    expect(clock.pending()).toBe(0);
  });

  it("waits again after a retake that failed, once for each, and logs why", async () => {
    const clock = time();
    const store = createLeaseStore();
    let isDown = false;
    const { lease, events, heartbeat } = createOwner({
      store,
      time: clock,
      takeOver: (document) => (isDown ? Promise.reject(new Error("the store is down")) : Promise.resolve(document)),
    });
    await lease.take();
    await store.takeOver("scheduler", 0);
    await lease.write(1, 1n);
    isDown = true;
    await clock.advance(1);
    heartbeat();
    await clock.advance(2 * confirmedAfterMs);
    isDown = false;
    expect(clock.pending()).toBe(1);
    await clock.advance(confirmedAfterMs);
    const isFailed = "partition.retake-failed: the store is down";
    expect(events).toEqual(["granted 1", "lost 1", `dropped 1: ${byAnother}`, isFailed, isFailed, "granted 5"]);
    lease.close("the end of the test");
    expect(clock.pending()).toBe(0);
  });

  it.each(["resolves", "rejects"] as const)(
    "a lease that is lost during a retake which then $0 is not granted, and one further take-over follows",
    async (end) => {
      const clock = time();
      const store = createLeaseStore();
      let isLosing = false;
      const { lease, events, heartbeat } = createOwner({
        store,
        time: clock,
        async takeOver(document) {
          if (!isLosing) return document;
          isLosing = false;
          await store.takeOver("scheduler", 0);
          expect([await lease.write(document.epoch, 1n), lease.epoch]).toEqual([false, null]);
          if (end === "rejects") throw new Error("no longer mine");
          return document;
        },
      });
      await lease.take();
      await store.takeOver("scheduler", 0);
      await lease.write(1, 1n);
      isLosing = true;
      await clock.advance(1);
      heartbeat();
      await clock.advance(confirmedAfterMs);
      expect(lease.owned).toBeNull();
      const dropped = end === "resolves" ? [`dropped 3: ${byAnother}`] : [];
      const reason = end === "resolves" ? `partition 0: ${byAnother}` : "no longer mine";
      expect(events.slice(3)).toEqual(["lost 3", ...dropped, `partition.retake-failed: ${reason}`]);
      expect(clock.pending()).toBe(1);
      heartbeat();
      await clock.advance(confirmedAfterMs + 1);
      expect(events.at(-1)).toBe("granted 5");
      expect(store.document().epoch).toBe(5);
    },
  );

  it("a first take-over whose epoch is refused meanwhile rejects with a retryable Fault, and drops what it read", async () => {
    const store = createLeaseStore();
    const { lease, events } = createOwner({
      store,
      time: time(),
      async takeOver(document) {
        await store.takeOver("scheduler", 0);
        await lease.write(document.epoch, 1n);
        return document;
      },
    });
    await expect(lease.take()).rejects.toMatchObject({ code: "messaging.lease-lost", isRetryable: true });
    expect(events).toEqual(["lost 1", `dropped 1: ${byAnother}`]);
  });

  it("#3: closed during a take-over it is never owned, and what the late answer brings is dropped", async () => {
    const clock = time();
    const base = createLeaseStore();
    const { promise, resolve } = Promise.withResolvers<null>();
    const store: LeaseStore<Document> = { ...base, takeOver: async (...of) => (await promise, await base.takeOver(...of)) };
    const { lease, events } = createOwner({ store, time: clock });
    const taking = lease.take();
    lease.close("its epoch is over");
    resolve(null);
    await taking;
    expect([lease.owned, lease.epoch, events]).toEqual([null, null, ["dropped 1: its epoch is over"]]);
  });

  it("a late answer to a write of an earlier epoch changes nothing in the lease that was taken since", async () => {
    const clock = time();
    const base = createLeaseStore();
    const unanswered: (() => void)[] = [];
    let isSlow = false;
    const store: LeaseStore<Document> = {
      ...base,
      async write(...of) {
        const isDelayed = isSlow;
        const isOurs = await base.write(...of);
        if (isDelayed) await new Promise<void>((resolve) => unanswered.push(resolve));
        return isOurs;
      },
    };
    const { lease, events, heartbeat } = createOwner({ store, time: clock });
    await lease.take();
    await store.takeOver("scheduler", 0);
    isSlow = true;
    const late = lease.write(1, 1n);
    await clock.settle();
    isSlow = false;
    await lease.write(1, 2n);
    await clock.advance(1);
    heartbeat();
    await clock.advance(confirmedAfterMs);
    expect(events.at(-1)).toBe("granted 3");
    expect(unanswered).toHaveLength(1);
    for (const resolve of unanswered) resolve();
    expect(await late).toBe(false);
    expect([lease.owned?.epoch, lease.epoch]).toEqual([3, 3]);
    expect(events.filter((event) => event.startsWith("lost"))).toEqual(["lost 1"]);
  });

  it("closed while it waits, it is not taken again; closed while it is owned, what it owned is dropped once", async () => {
    const clock = time();
    const store = createLeaseStore();
    const waiting = createOwner({ store, time: clock });
    await waiting.lease.take();
    const owner = createOwner({ store, time: clock });
    await owner.lease.take();
    await waiting.lease.write(1, 1n);
    waiting.lease.close("its epoch is over");
    owner.lease.close("its epoch is over");
    owner.lease.close("abandoned");
    waiting.heartbeat();
    await clock.advance(10 * confirmedAfterMs);
    expect(store.document().epoch).toBe(2);
    expect(waiting.events).toEqual(["granted 1", "lost 1", `dropped 1: ${byAnother}`]);
    expect(owner.events).toEqual(["granted 2", "dropped 2: its epoch is over"]);
  });

  it("a process that ends does not take a lost lease again", async () => {
    const clock = time();
    const store = createLeaseStore();
    let isStopping = false;
    const { lease, events, heartbeat } = createOwner({ store, time: clock, isStopping: () => isStopping });
    await lease.take();
    await store.takeOver("scheduler", 0);
    await lease.write(1, 1n);
    isStopping = true;
    await clock.advance(1);
    heartbeat();
    await clock.advance(10 * confirmedAfterMs);
    expect([events.length, store.document().epoch, clock.pending()]).toEqual([3, 2, 0]);
  });

  it.each([
    { what: "an older epoch", older: { epoch: 1, owners: ["1:1"], position: 7n } },
    { what: "an older position", older: { epoch: 2, owners: ["2:2", "1:1"], position: 6n } },
    { what: "no document", older: { epoch: 0, owners: [], position: 0n } },
  ])("I1: #4, #6: an idle owner whose store went back to $what notices it at its next look", async ({ older }) => {
    const clock = time();
    const store = createLeaseStore();
    await store.takeOver("scheduler", 0);
    const takenBack: boolean[] = [];
    const { lease, events, heartbeat } = createOwner({
      store,
      time: clock,
      takeOver: (document, hasGoneBack) => (takenBack.push(hasGoneBack), Promise.resolve(document)),
    });
    await lease.take();
    await lease.write(2, 7n);
    await clock.advance(3 * lookIntervalMs);
    expect(events).toEqual(["granted 2"]);
    store.restore(older);
    await clock.advance(lookIntervalMs);
    expect([lease.owned, lease.epoch, events.slice(1)]).toEqual([null, null, ["lost 2", `dropped 2: ${byAnother}`]]);
    await clock.advance(1);
    heartbeat();
    await clock.advance(confirmedAfterMs);
    expect([lease.owned?.epoch, takenBack]).toEqual([older.epoch + 1, [false, true]]);
    lease.close("the end of the test");
    expect(clock.pending()).toBe(0);
  });

  it.each(["a write", "a look"] as const)(
    "I1: #4: after a restore the epoch is given to another owner: $0 notices it, also where others have followed since",
    async (what) => {
      for (const followers of [0, 3]) {
        const clock = time();
        const store = createLeaseStore();
        const older = await store.takeOver("scheduler", 0);
        const takenBack: boolean[] = [];
        const { lease, heartbeat } = createOwner({
          store,
          time: clock,
          takeOver: (document, hasGoneBack) => (takenBack.push(hasGoneBack), Promise.resolve(document)),
        });
        await lease.take();
        store.restore(older);
        const other = await store.takeOver("scheduler", 0);
        expect(other.epoch).toBe(lease.epoch);
        await store.write("scheduler", 0, other, 5n);
        for (let more = 0; more < followers; more += 1) await store.takeOver("scheduler", 0);
        const isWritten = what === "a write" ? await lease.write(2, 9n) : await clock.advance(lookIntervalMs).then(() => false);
        expect([isWritten, lease.owned, store.document().position]).toEqual([false, null, 5n]);
        await clock.advance(1);
        heartbeat();
        await clock.advance(confirmedAfterMs);
        expect([lease.epoch, takenBack]).toEqual([3 + followers, [false, true]]);
        lease.close("the end of the test");
      }
    },
  );

  it("I1: #5: a process that stood still behind the read of its witness reads it again before it writes", async () => {
    const clock = time();
    const store = createLeaseStore();
    const stillness = { ms: 0, isMissing: false };
    const { lease } = createOwner({
      store,
      time: clock,
      async isWitnessMissing() {
        const answer = stillness.isMissing;
        if (stillness.ms > 0) await clock.advance(stillness.ms);
        return answer;
      },
    });
    await lease.take();
    stillness.ms = 1_000;
    expect(await lease.write(1, 5n)).toBe(true);
    stillness.ms = 14_000;
    await expect(lease.write(1, 6n)).rejects.toMatchObject({ code: "messaging.witness-late", isRetryable: true });
    const writing = lease.write(1, 7n);
    stillness.isMissing = true;
    expect([await writing, lease.owned, store.document().position]).toEqual([false, null, 5n]);
    lease.close("the end of the test");
  });

  it("I1: #7: a position that landed in a restored store goes back at the next take-over, which learns of it", async () => {
    const clock = time();
    const store = createLeaseStore();
    const learnt: (readonly [bigint, boolean])[] = [];
    let proven: bigint | null = null;
    const own = {
      store,
      time: clock,
      findProven: () => Promise.resolve(proven),
      isWitnessMissing: () => Promise.reject(new Error("a position that names its witnesses is written without a look")),
      takeOver: (document: Document, hasGoneBack: boolean) => {
        learnt.push([document.position, hasGoneBack]);
        return Promise.resolve(document);
      },
    };
    const first = createOwner(own);
    await first.lease.take();
    expect(await first.lease.write(1, 9n, undefined, "what was written before 9")).toBe(true);
    proven = 4n;
    const second = createOwner(own);
    await second.lease.take();
    proven = null;
    expect([learnt, store.document().position]).toEqual([
      [
        [0n, false],
        [4n, true],
      ],
      4n,
    ]);
    expect(await second.lease.write(2, 6n, undefined, "what was written before 6")).toBe(true);
    first.lease.close("the end of the test");
    second.lease.close("the end of the test");
  });

  it("I1: #7: a take-over whose epoch is lost before it moves the position back owns nothing", async () => {
    const clock = time();
    const store = createLeaseStore();
    await store.takeOver("scheduler", 0);
    const { lease } = createOwner({
      store,
      time: clock,
      async findProven() {
        await store.takeOver("scheduler", 0);
        return 4n;
      },
    });
    await expect(lease.take()).rejects.toMatchObject({ code: "messaging.lease-lost", isRetryable: true });
    expect([lease.owned, store.document().position]).toEqual([null, 0n]);
    lease.close("the end of the test");
  });

  it("#6: an idle owner learns at its next look that another owner has raised the epoch", async () => {
    const clock = time();
    const store = createLeaseStore();
    const { lease, events } = createOwner({ store, time: clock });
    await lease.take();
    await store.takeOver("scheduler", 0);
    await clock.advance(lookIntervalMs);
    expect([lease.owned, events]).toEqual([null, ["granted 1", "lost 1", `dropped 1: ${byAnother}`]]);
    lease.close("the end of the test");
  });

  it.each(["a look", "a write"] as const)(
    "I1: #5: $0 that misses the witness shows that the store went back, unless another owner has raised the epoch",
    async (what) => {
      for (const isRaised of [false, true]) {
        const clock = time();
        const store = createLeaseStore();
        const takenBack: boolean[] = [];
        let isMissing = false;
        const { lease, heartbeat } = createOwner({
          store,
          time: clock,
          isWitnessMissing: () => Promise.resolve(isMissing),
          takeOver: (document, hasGoneBack) => (takenBack.push(hasGoneBack), Promise.resolve(document)),
        });
        await lease.take();
        isMissing = true;
        if (isRaised) await store.takeOver("scheduler", 0);
        const isWritten = what === "a write" ? await lease.write(1, 1n) : await clock.advance(lookIntervalMs).then(() => false);
        expect([isWritten, lease.owned]).toEqual([false, null]);
        isMissing = false;
        await clock.advance(1);
        heartbeat();
        await clock.advance(confirmedAfterMs);
        expect(takenBack).toEqual([false, !isRaised]);
        lease.close("the end of the test");
      }
    },
  );

  it.each(["resolves", "rejects"] as const)(
    "I1: #4: a store that goes back during a take-over which then $0 is known to the next take-over",
    async (end) => {
      const clock = time();
      const store = createLeaseStore();
      const takenBack: boolean[] = [];
      const { lease, heartbeat } = createOwner({
        store,
        time: clock,
        takeOver(document, hasGoneBack) {
          takenBack.push(hasGoneBack);
          if (takenBack.length !== 2) return Promise.resolve(document);
          lease.loseStore(document.epoch);
          return end === "resolves" ? Promise.resolve(document) : Promise.reject(new Error("no longer mine"));
        },
      });
      await lease.take();
      lease.lose(1);
      for (const waitedMs of [1, confirmedAfterMs]) {
        await clock.advance(waitedMs);
        heartbeat();
        await clock.advance(confirmedAfterMs);
      }
      expect([lease.owned?.epoch, takenBack]).toEqual([3, [false, false, true]]);
      lease.close("the end of the test");
      expect(clock.pending()).toBe(0);
    },
  );

  it("#6: a write whose answer a look overtakes is no sign of a restored store", async () => {
    const clock = time();
    const base = createLeaseStore();
    const { promise: answered, resolve } = Promise.withResolvers<null>();
    let isSlow = false;
    const store: LeaseStore<Document> = {
      ...base,
      async write(...of) {
        const isOurs = await base.write(...of);
        if (isSlow) await answered;
        return isOurs;
      },
    };
    const { lease, events } = createOwner({ store, time: clock });
    await lease.take();
    isSlow = true;
    const written = lease.write(1, 3n);
    await clock.advance(2 * lookIntervalMs);
    resolve(null);
    expect([await written, lease.owned?.epoch, events]).toEqual([true, 1, ["granted 1"]]);
    lease.close("the end of the test");
  });
});

describe("the looks of a process", () => {
  it("I15: one read serves all partitions, and a store that is away delays the next look and nothing else", async () => {
    const clock = time();
    let isDown = false;
    let reads = 0;
    const store = {
      positions: () => {
        reads += 1;
        return isDown ? Promise.reject(new Error("the store is down")) : Promise.resolve([]);
      },
    };
    const looked: number[] = [];
    const watch = createPartitionWatch({ service: "scheduler", store, time: clock, logger: silentLogger });
    const handles = [0, 1, 2].map((partition) => watch.add({ beginLook: () => Promise.resolve(() => void looked.push(partition)) }));
    await clock.advance(lookIntervalMs);
    expect([reads, looked]).toEqual([1, [0, 1, 2]]);
    isDown = true;
    await clock.advance(2 * lookIntervalMs);
    expect([reads, looked.length, watch.trouble()]).toEqual([3, 3, "the store is down"]);
    isDown = false;
    handles[1]?.[Symbol.dispose]();
    await clock.advance(lookIntervalMs);
    expect([looked.slice(3), watch.trouble()]).toEqual([[0, 2], null]);
    for (const handle of handles) handle[Symbol.dispose]();
    expect(clock.pending()).toBe(0);
  });
});
