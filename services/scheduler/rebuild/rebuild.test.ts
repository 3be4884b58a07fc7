import { topics } from "@sluice/contracts";
import { conservationOf } from "@sluice/store";
import { expect, test } from "vitest";
import { day, reconciliationAtMs, startAtMs, World } from "../given.ts";
import { handlers } from "../service.ts";
import { sampleConfiguration } from "@sluice/testkit";
import { leaseMs, rebuildLane } from "./rebuild-lane.ts";
import type { RebuildOptions, RebuildPorts, RebuiltLane } from "./rebuild-lane.ts";

const forReal: RebuildOptions = { isDryRun: false, acceptsDifferences: false };
const dryRun: RebuildOptions = { isDryRun: true, acceptsDifferences: false };

function portsOf(world: World, over: Partial<RebuildPorts> = {}): RebuildPorts {
  const { store, serde, lanes, time } = world;
  const messaging = world.log.client("builder");
  const configuration = sampleConfiguration();
  const rest = { holder: "builder-1", service: "scheduler", progress: () => {} };
  return { store, serde, lanes, time, messaging, configuration, handlers, ...rest, ...over };
}

/** Some debits and a credit, in whatever state they are when the time is over. */
async function traffic(world: World, debits = 6): Promise<readonly string[]> {
  const uetrs = Array.from({ length: debits }, () => world.uetr());
  for (const uetr of uetrs) await world.hold(uetr);
  await world.until("released", () => uetrs.every((uetr) => world.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  for (const uetr of uetrs.slice(0, 3)) await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.credit(world.uetr());
  await world.time.advance(500);
  return uetrs;
}

async function rebuildAll(world: World, options: RebuildOptions, over: Partial<RebuildPorts> = {}): Promise<readonly RebuiltLane[]> {
  const built: RebuiltLane[] = [];
  for (let lane = 0; lane < world.lanes; lane += 1) {
    const one = await world.done(rebuildLane(portsOf(world, over), lane, options));
    if (one !== null) built.push(one);
  }
  return built;
}

test("a lane built anew equals what was there, document by document, and goes on in the new build while the system runs", async () => {
  const world = new World();
  await world.scheduler();
  const uetrs = await traffic(world);
  const built = await rebuildAll(world, forReal);
  expect(built.flatMap(({ differences }) => differences)).toEqual([]);
  expect(built.map(({ isSwitched, build }) => [isSwitched, build])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect(built.reduce((sum, { documents }) => sum + documents, 0)).toBe(7);
  // All of it ends as if nothing had happened, and only in the new build.
  await world.append(topics.journal, uetrs[3]!, world.reportOf(uetrs[3]!, "not-made"));
  await world.until("unpaid", () => world.events(uetrs[3]!).at(-1)?.endsWith("UNPAID") === true);
  await world.until("closed", () => world.named(topics.journal, "DayReconciled").length === 2);
  await world.time.advance(reconciliationAtMs - startAtMs);
  expect(await world.states(uetrs[4]!)).toContain("RECONCILIATION");
  expect(await world.done(conservationOf(world.store, day))).toMatchObject({ isWhole: true });
  const old = await world.done(world.store.builds.transactions(0).load(uetrs));
  expect(old.get(uetrs[4]!)?.transaction.state).toBe("RELEASED");
  // Once more, into the next build.
  const again = await rebuildAll(world, forReal);
  expect(again.map(({ differences, build }) => [differences, build])).toEqual([
    [[], 2],
    [[], 2],
  ]);
});

test("I3: what an idle owner handled in the old build after the switch is handled in the new one, and says the same", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetrs = await traffic(world);
  await rebuildAll(world, forReal);
  await world.append(topics.journal, uetrs[5]!, world.reportOf(uetrs[5]!, "made"));
  await world.until("completed", () => world.events(uetrs[5]!).at(-1)?.endsWith("COMPLETED") === true);
  await world.time.advance(20_000);
  expect(await world.states(uetrs[5]!)).toContain("COMPLETED");
  expect(await world.done(world.store.lanes.list("scheduler"))).toMatchObject([{ build: 1, hold: null }]);
  const ids = world
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  expect(new Set(ids.map((text) => text.slice(0, text.indexOf(" ")))).size).toBe(new Set(ids).size);
});

test("a dry run says what differs and changes nothing: a document lost, one changed, a ledger and a day changed", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetrs = await traffic(world);
  const { transactions, builds, days, ledgers } = world.store;
  expect(await rebuildAll(world, dryRun)).toMatchObject([{ differences: [], isSwitched: false, build: 0, heldMs: null }]);
  const kept = await world.done(builds.documents(0, 0, null, 100));
  await world.done(builds.remove(0, 0));
  const changed = kept
    .filter(({ transaction }) => transaction.uetr !== uetrs[0])
    .map((one) => (one.transaction.uetr === uetrs[1] ? { ...one, transaction: { ...one.transaction, currency: "USD" } } : one));
  await world.done(transactions.write(changed.map((document) => ({ document, expectedVersion: 0 }))));
  const [ledger] = await world.done(ledgers.ofDay(day));
  await world.done(ledgers.write({ ...ledger!, version: ledger!.version + 1, rows: [] }, ledger!.version));
  const planned = (await world.done(days.load([day]))).get(day)!;
  await world.done(days.write({ ...planned, isGateOpen: !planned.isGateOpen }, planned.version));
  const [found] = await rebuildAll(world, dryRun);
  expect(found!.isSwitched).toBe(false);
  const kinds = found!.differences.map(({ kind, key, what }) => `${kind} ${kind === "ledger" ? "" : key} ${kind === "ledger" ? "" : what}`);
  expect(new Set(kinds)).toEqual(
    new Set([
      `transaction ${uetrs[0]} is not in the store`,
      `transaction ${uetrs[1]} differs in currency`,
      `day ${day} differs in isGateOpen`,
      "ledger  ",
    ]),
  );
  expect(await world.done(builds.documents(0, 1, null, 10))).toEqual([]);
  // Not without leave; with it the journal is right.
  expect(await rebuildAll(world, forReal)).toMatchObject([{ isSwitched: false }]);
  expect(await rebuildAll(world, { isDryRun: false, acceptsDifferences: true })).toMatchObject([{ isSwitched: true }]);
  await world.time.advance(10_000);
  expect(await rebuildAll(world, dryRun)).toMatchObject([{ differences: [] }]);
});

test("a builder that died holds a lane for its lease and no longer; what it left is removed by the next", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetrs = await traffic(world);
  await world.done(world.store.lanes.hold("scheduler", 0, { id: "dead", untilMs: world.time.nowMs() + leaseMs }));
  await world.append(topics.journal, uetrs[4]!, world.reportOf(uetrs[4]!, "made"));
  await world.append(topics.journal, uetrs[5]!, world.reportOf(uetrs[5]!, "made"));
  await expect(world.done(rebuildLane(portsOf(world), 0, forReal))).rejects.toMatchObject({ code: "rebuild.held" });
  await world.append(topics.journal, uetrs[3]!, world.reportOf(uetrs[3]!, "made"));
  await world.time.advance(leaseMs + 15_000);
  expect(await world.states(uetrs[3]!)).toContain("COMPLETED");
  expect(await rebuildAll(world, forReal)).toMatchObject([{ differences: [], isSwitched: true, build: 1 }]);
});

test("a builder whose lease was over while it folded, so that the owner went on, switches nothing", async () => {
  const world = new World();
  await world.scheduler();
  await traffic(world);
  const { lanes } = world.store;
  let holds = 0;
  const slow: RebuildPorts["store"] = {
    ...world.store,
    lanes: {
      ...lanes,
      async hold(service, lane, hold) {
        holds += 1;
        // Between the first and the second the lease ends, and somebody takes the lane and goes on.
        if (holds === 2) {
          await lanes.release(service, lane, hold.id);
          const { epoch, position } = await lanes.takeOver(service, lane);
          await lanes.write(service, lane, epoch, position + 1n);
        }
        return lanes.hold(service, lane, hold);
      },
    },
  };
  const before = await world.done(lanes.list("scheduler"));
  await expect(world.done(rebuildLane(portsOf(world, { store: slow }), 0, forReal))).rejects.toMatchObject({ code: "rebuild.held" });
  const after = await world.done(lanes.list("scheduler"));
  expect(after[0]).toMatchObject({ build: before[0]!.build, position: before[0]!.position + 1n, hold: null });
});

test("an owner that asks for the lane again and again while it is held does not end the hold", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  await traffic(world);
  const { lanes } = world.store;
  const store: RebuildPorts["store"] = {
    ...world.store,
    lanes: {
      ...lanes,
      async hold(service, lane, hold) {
        const held = await lanes.hold(service, lane, hold);
        // As an owner does before it sees the hold.
        await lanes.takeOver(service, lane);
        return held;
      },
    },
  };
  expect(await world.done(rebuildLane(portsOf(world, { store }), 0, forReal))).toMatchObject({ isSwitched: true, differences: [] });
});

test("a journal that does not begin at 0 is refused", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const client = world.log.client("builder");
  const messaging: RebuildPorts["messaging"] = {
    ends: async (partitions) => (await client.ends(partitions)).map((ends) => ({ ...ends, logStart: 3n })),
    read: (partition, from, to) => client.read(partition, from, to),
  };
  await expect(world.done(rebuildLane(portsOf(world, { messaging }), 0, dryRun))).rejects.toMatchObject({ code: "rebuild.journal-cut" });
});
