import { outgoingRecord, topics } from "@sluice/contracts";
import { Fault, sleep } from "@sluice/kernel";
import { type RulesSpan, rulesVersion, type Transaction } from "@sluice/domain";
import { checkConservation } from "@sluice/store";
import { expect, test } from "vitest";
import { schedulerDay, reconciliationAtMs, schedulerStartAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { journalHandlers } from "../service.ts";
import { sampleConfiguration } from "@sluice/testkit";
import { rebuildPartitions, removeOldBuilds } from "./rebuild.ts";
import { rebuildLockMs, type RebuildOptions, rebuildPartition, type RebuildPorts, type RebuiltPartition } from "./rebuild-partition.ts";

const forReal: RebuildOptions = { isDryRun: false, accepts: "nothing" };
const dryRun: RebuildOptions = { isDryRun: true, accepts: "nothing" };

function buildPorts(environment: SchedulerEnvironment, over: Partial<RebuildPorts> = {}): RebuildPorts {
  const { store, serde, partitionCount, time } = environment;
  const messaging = environment.broker.client("builder");
  const configuration = sampleConfiguration();
  const rest = { builderId: "builder-1", service: "scheduler", progress: () => {} };
  return { store, serde, partitionCount, rulesVersion, time, messaging, configuration, handlers: journalHandlers, ...rest, ...over };
}

/** Appends some debits and a credit, and leaves them in whatever state they reach. */
async function traffic(environment: SchedulerEnvironment, debits = 6): Promise<readonly string[]> {
  const uetrs = Array.from({ length: debits }, () => environment.uetr());
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("released", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  for (const uetr of uetrs.slice(0, 3)) await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.credit(environment.uetr());
  await environment.time.advance(500);
  return uetrs;
}

async function rebuildAll(
  environment: SchedulerEnvironment,
  options: RebuildOptions,
  over: Partial<RebuildPorts> = {},
): Promise<readonly RebuiltPartition[]> {
  const built: RebuiltPartition[] = [];
  for (let partition = 0; partition < environment.partitionCount; partition += 1) {
    const one = await environment.settle(rebuildPartition(buildPorts(environment, over), partition, options));
    if (one !== null) built.push(one);
  }
  return built;
}

test("a rebuilt partition equals the old one, document by document, and continues in the new build while the system runs", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetrs = await traffic(environment);
  const built = await rebuildAll(environment, forReal);
  expect(built.flatMap(({ differences }) => differences)).toEqual([]);
  expect(built.map(({ isSwitched, build }) => [isSwitched, build])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect(built.reduce((sum, { documents }) => sum + documents, 0)).toBe(7);
  // Every transaction ends as if nothing had happened, and only in the new build.
  await environment.append(topics.journal, uetrs[3]!, environment.report(uetrs[3]!, "not-made"));
  await environment.until("unpaid", () => environment.events(uetrs[3]!).at(-1)?.endsWith("UNPAID") === true);
  await environment.until("closed", () => environment.named(topics.journal, "DayReconciled").length === 2);
  await environment.time.advance(reconciliationAtMs - schedulerStartAtMs);
  expect(await environment.states(uetrs[4]!)).toContain("RECONCILIATION");
  expect(await environment.settle(checkConservation(environment.store, schedulerDay))).toMatchObject({ isWhole: true });
  const old = await environment.settle(environment.store.builds.transactions(0).load(uetrs));
  expect(old.get(uetrs[4]!)?.transaction.state).toBe("RELEASED");
  // A second rebuild, into the next build.
  const again = await rebuildAll(environment, forReal);
  expect(again.map(({ differences, build }) => [differences, build])).toEqual([
    [[], 2],
    [[], 2],
  ]);
});

test("I3: what an idle owner handled in the old build after the switch is handled in the new one, with the same result", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await traffic(environment);
  await rebuildAll(environment, forReal);
  await environment.append(topics.journal, uetrs[5]!, environment.report(uetrs[5]!, "made"));
  await environment.until("completed", () => environment.events(uetrs[5]!).at(-1)?.endsWith("COMPLETED") === true);
  await environment.time.advance(20_000);
  expect(await environment.states(uetrs[5]!)).toContain("COMPLETED");
  expect(await environment.settle(environment.store.partitions.list("scheduler"))).toMatchObject([{ build: 1, rebuildLock: null }]);
  const ids = environment
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  expect(new Set(ids.map((text) => text.slice(0, text.indexOf(" ")))).size).toBe(new Set(ids).size);
});

function inDollars(transaction: Transaction): Transaction {
  return transaction.flow === null ? transaction : { ...transaction, currency: "USD" };
}

test("a dry run names the differences and changes nothing: a lost document, a changed one, a changed ledger and day", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await traffic(environment);
  const { transactions, builds, days, ledgers } = environment.store;
  expect(await rebuildAll(environment, dryRun)).toMatchObject([{ differences: [], isSwitched: false, build: 0, heldMs: null }]);
  const kept = await environment.settle(builds.documents(0, 0, null, 100));
  await environment.settle(builds.remove(0, 0));
  const changed = kept
    .filter(({ transaction }) => transaction.uetr !== uetrs[0])
    .map((one) => (one.transaction.uetr === uetrs[1] ? { ...one, transaction: inDollars(one.transaction) } : one));
  await environment.settle(transactions.write(changed.map((document) => ({ document, expectedVersion: 0 }))));
  const [ledger] = await environment.settle(ledgers.listByDay(schedulerDay));
  await environment.settle(ledgers.write({ ...ledger!, version: ledger!.version + 1, rows: [] }, ledger!.version));
  const planned = (await environment.settle(days.load([schedulerDay]))).get(schedulerDay)!;
  await environment.settle(days.write({ ...planned, isGateOpen: !planned.isGateOpen }, planned.version));
  const [found] = await rebuildAll(environment, dryRun);
  expect(found!.isSwitched).toBe(false);
  const kinds = found!.differences.map(({ kind, key, what }) => `${kind} ${kind === "ledger" ? "" : key} ${kind === "ledger" ? "" : what}`);
  expect(new Set(kinds)).toEqual(
    new Set([
      `transaction ${uetrs[0]} is not in the store`,
      `transaction ${uetrs[1]} differs in currency`,
      `day ${schedulerDay} differs in isGateOpen`,
      "ledger  ",
    ]),
  );
  expect(await environment.settle(builds.documents(0, 1, null, 10))).toEqual([]);
  // Nothing is switched unless differences are accepted; then the journal is right.
  expect(await rebuildAll(environment, forReal)).toMatchObject([{ isSwitched: false }]);
  expect(await rebuildAll(environment, { isDryRun: false, accepts: "everything" })).toMatchObject([{ isSwitched: true }]);
  await environment.time.advance(10_000);
  expect(await rebuildAll(environment, dryRun)).toMatchObject([{ differences: [] }]);
});

test("a rebuild tells what other rules explain from what is wrong in the store, and accepts the one without the other [D11.9]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await traffic(environment);
  const { transactions } = environment.store;
  const change = async (uetr: string, rules: RulesSpan, into: (transaction: Transaction) => Transaction) => {
    const stored = (await environment.settle(transactions.load([uetr]))).get(uetr)!;
    const { transaction } = stored;
    const document = { ...stored, transaction: into({ ...transaction, version: transaction.version + 1 }), rules };
    await environment.settle(transactions.write([{ document, expectedVersion: transaction.version }]));
  };
  const today = { oldest: rulesVersion, newest: rulesVersion };
  await change(uetrs[0]!, { oldest: rulesVersion - 1, newest: rulesVersion }, inDollars);
  await change(uetrs[1]!, { oldest: rulesVersion, newest: rulesVersion + 1 }, inDollars);
  expect(await rebuildAll(environment, { isDryRun: false, accepts: "nothing" })).toMatchObject([{ isSwitched: false }]);
  await change(uetrs[2]!, today, inDollars);
  const listCauses = (built: readonly RebuiltPartition[]) => new Map(built[0]!.differences.map(({ key, cause }) => [key, cause]));
  const [, , third] = uetrs;
  const both = await rebuildAll(environment, { isDryRun: false, accepts: "other-rules" });
  expect(both).toMatchObject([{ isSwitched: false, byOtherRules: 2 }]);
  expect(listCauses(both)).toEqual(new Map([...uetrs.slice(0, 2).map((uetr) => [uetr, "rules"] as const), [third!, "store"]]));
  await change(third!, { oldest: 1, newest: rulesVersion }, inDollars);
  expect(await rebuildAll(environment, { isDryRun: false, accepts: "other-rules" })).toMatchObject([{ isSwitched: true, byOtherRules: 3 }]);
  await environment.time.advance(10_000);
  expect(await rebuildAll(environment, dryRun)).toMatchObject([{ differences: [], byOtherRules: 0 }]);
});

test("a builder that died locks a partition until its lock expires and no longer; the next one removes what it left", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await traffic(environment);
  await environment.settle(
    environment.store.partitions.lock("scheduler", 0, { id: "dead", untilMs: environment.time.nowMs() + rebuildLockMs }),
  );
  await environment.append(topics.journal, uetrs[4]!, environment.report(uetrs[4]!, "made"));
  await environment.append(topics.journal, uetrs[5]!, environment.report(uetrs[5]!, "made"));
  await expect(environment.settle(rebuildPartition(buildPorts(environment), 0, forReal))).rejects.toMatchObject({ code: "rebuild.locked" });
  await environment.append(topics.journal, uetrs[3]!, environment.report(uetrs[3]!, "made"));
  await environment.time.advance(rebuildLockMs + 20_000);
  expect(await environment.states(uetrs[3]!)).toContain("COMPLETED");
  // The build that the refused builder claimed is not used again, and what is left of it is removed.
  expect(await rebuildAll(environment, forReal)).toMatchObject([{ differences: [], isSwitched: true, build: 2 }]);
  expect(await environment.settle(environment.store.builds.documents(0, 1, null, 10))).toEqual([]);
});

test("I1: a removal that a dead builder asked for, and that lands late, takes no document that is in use", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetrs = await traffic(environment);
  const { builds } = environment.store;
  const pending: (() => Promise<void>)[] = [];
  const dead: RebuildPorts["store"] = {
    ...environment.store,
    builds: {
      ...builds,
      remove(partition, build) {
        pending.push(() => builds.remove(partition, build));
        return Promise.reject(new Fault("test.died", "the builder died after it asked for this", { isRetryable: false }));
      },
    },
  };
  await expect(environment.settle(rebuildPartition(buildPorts(environment, { store: dead }), 0, dryRun))).rejects.toMatchObject({
    code: "test.died",
  });
  expect(await rebuildAll(environment, forReal)).toMatchObject([{ differences: [], isSwitched: true }]);
  expect(pending.length).toBeGreaterThan(0);
  for (const land of pending) await environment.settle(land());
  for (const uetr of uetrs) expect(await environment.document(uetr)).not.toBeNull();
  expect(await rebuildAll(environment, dryRun)).toMatchObject([{ differences: [] }]);
});

test("what nobody uses is dropped: a dry run's build at once, an old one once it is emptied, and never one that another builder claimed", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await traffic(environment);
  const { builds, partitions } = environment.store;
  const stored = async () => await environment.settle(builds.list());
  const rebuild = async (options: RebuildOptions) =>
    await environment.settle(rebuildPartitions(buildPorts(environment), null, options, () => {}));
  expect(await rebuild(dryRun)).toMatchObject([{ claimed: 1 }, { claimed: 1 }]);
  expect(await stored()).toEqual([0]);
  // Another builder, which may live or be dead, has begun with a partition.
  const other = await environment.settle(partitions.claimBuild("scheduler", 0, 0));
  await environment.settle(builds.prepare(other!));
  await environment.settle(removeOldBuilds(environment.store, "scheduler"));
  expect([other, await stored()]).toEqual([2, [0, 2]]);
  expect(await rebuild(forReal)).toMatchObject([{ build: 3 }, { build: 3 }]);
  expect(await rebuild(forReal)).toMatchObject([{ build: 4 }, { build: 4 }]);
  // What was in use before can be looked at until it is removed.
  expect(await stored()).toEqual([0, 3, 4]);
  await environment.settle(removeOldBuilds(environment.store, "scheduler"));
  expect(await stored()).toEqual([0, 4]);
});

test("a builder whose lock expired while it folded, so that the owner continued, switches nothing", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await traffic(environment);
  const { partitions } = environment.store;
  let holds = 0;
  const slow: RebuildPorts["store"] = {
    ...environment.store,
    partitions: {
      ...partitions,
      async lock(service, partition, hold) {
        holds += 1;
        // Between the first and the second the lock expires, and another owner takes the partition and continues.
        if (holds === 2) {
          await partitions.unlock(service, partition, hold.id);
          const taken = await partitions.takeOver(service, partition);
          await partitions.write(service, partition, taken, taken.position + 1n);
        }
        return partitions.lock(service, partition, hold);
      },
    },
  };
  const before = await environment.settle(partitions.list("scheduler"));
  await expect(environment.settle(rebuildPartition(buildPorts(environment, { store: slow }), 0, forReal))).rejects.toMatchObject({
    code: "rebuild.locked",
  });
  const after = await environment.settle(partitions.list("scheduler"));
  expect(after[0]).toMatchObject({ build: before[0]!.build, position: before[0]!.position + 1n, rebuildLock: null });
});

test("an owner that asks for a locked partition again and again does not end the lock", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  await traffic(environment);
  const { partitions } = environment.store;
  const store: RebuildPorts["store"] = {
    ...environment.store,
    partitions: {
      ...partitions,
      async lock(service, partition, hold) {
        const held = await partitions.lock(service, partition, hold);
        // As an owner does before it sees the lock.
        await partitions.takeOver(service, partition);
        return held;
      },
    },
  };
  expect(await environment.settle(rebuildPartition(buildPorts(environment, { store }), 0, forReal))).toMatchObject({
    isSwitched: true,
    differences: [],
  });
});

test("a journal that does not begin at 0 is refused", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const client = environment.broker.client("builder");
  const messaging: RebuildPorts["messaging"] = {
    ends: async (partitions) => (await client.ends(partitions)).map((ends) => ({ ...ends, logStart: 3n })),
    identity: (topic) => client.identity(topic),
    read: (partition, from, to) => client.read(partition, from, to),
  };
  await expect(environment.settle(rebuildPartition(buildPorts(environment, { messaging }), 0, dryRun))).rejects.toMatchObject({
    code: "rebuild.journal-cut",
  });
});

test("I1: a rebuild in another journal than the one that the position counts in is refused, and switches nothing", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  await traffic(environment);
  const client = environment.broker.client("builder");
  const messaging: RebuildPorts["messaging"] = {
    ends: (partitions) => client.ends(partitions),
    identity: (topic) => Promise.resolve({ clusterId: "another-cluster", topicId: topic }),
    read: (partition, from, to) => client.read(partition, from, to),
  };
  const rebuilding = rebuildPartition(buildPorts(environment, { messaging }), 0, { isDryRun: false, accepts: "everything" });
  await expect(environment.settle(rebuilding)).rejects.toMatchObject({ code: "messaging.another-log" });
  expect((await environment.settle(environment.store.partitions.list("scheduler")))[0]).toMatchObject({ build: 0 });
});

test("I1: a rebuild whose reading under the lock ends early switches nothing, and can be repeated", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const ports = buildPorts(environment);
  const { partitions } = environment.store;
  let isLocked = false;
  const store: RebuildPorts["store"] = {
    ...environment.store,
    partitions: {
      ...partitions,
      async lock(service, partition, hold) {
        // The owner takes more while the first comparison runs.
        if (!isLocked) await environmentTraffic();
        isLocked = true;
        return partitions.lock(service, partition, hold);
      },
    },
  };
  const environmentTraffic = async (): Promise<void> => {
    const sent = environment.broker.client("more").producer("more");
    const uetr = environment.uetr();
    const debit = environment.debit(uetr);
    const records = [debit, environment.verdict(debit)].map((decoded) =>
      outgoingRecord(environment.serde, topics.journal, uetr, decoded, { partitionCount: 1 }),
    );
    await (await sent).send(records);
    await sleep(environment.time, 1_000);
  };
  const early: RebuildPorts["messaging"] = {
    ends: (places) => ports.messaging.ends(places),
    identity: (topic) => ports.messaging.identity(topic),
    read: (place, from, to) => ports.messaging.read(place, from, isLocked ? to - 1n : to),
  };
  await traffic(environment);
  await expect(
    environment.settle(rebuildPartition(buildPorts(environment, { store, messaging: early }), 0, forReal)),
  ).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
  const [document] = await environment.settle(partitions.list("scheduler"));
  expect(document).toMatchObject({ build: 0, rebuildLock: null });
  expect((await rebuildAll(environment, forReal)).map(({ differences, isSwitched }) => [differences, isSwitched])).toEqual([[[], true]]);
});

test("I1: a store that goes back while a partition is locked is not switched to a build that it no longer has", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const store = environment.emptyStore();
  environment.store = store;
  await environment.scheduler();
  const uetrs = await traffic(environment);
  const restore = store.backUp();
  let restores = 0;
  const partitions: typeof store.partitions = {
    ...store.partitions,
    async lock(service, partition, hold) {
      const locked = await store.partitions.lock(service, partition, hold);
      if (restores === 0) restore();
      restores += 1;
      return locked;
    },
  };
  const ports = buildPorts(environment, { store: { ...store, partitions } });
  await expect(environment.settle(rebuildPartition(ports, 0, forReal))).rejects.toMatchObject({ code: "rebuild.store-gone-back" });
  for (const uetr of uetrs) expect(await environment.states(uetr)).not.toEqual([]);
  expect((await rebuildAll(environment, forReal)).map(({ differences, isSwitched }) => [differences, isSwitched])).toEqual([[[], true]]);
});

test("I1, I11: a rebuild after a restore gives the owner's epoch a second time, and the owner's next write is refused", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const store = environment.emptyStore();
  environment.store = store;
  await environment.scheduler();
  const uetrs = await traffic(environment);
  await environment.time.advance(1_000);
  const restore = store.backUp();
  // The late take-over of an earlier owner: the scheduler takes the partition over again, and writes nothing meanwhile.
  await environment.settle(store.partitions.takeOver("scheduler", 0));
  await environment.time.advance(20_000);
  const [owned] = await environment.settle(store.partitions.list("scheduler"));
  restore();
  expect(await rebuildAll(environment, forReal)).toMatchObject([{ differences: [], isSwitched: true }]);
  const [rebuilt] = await environment.settle(store.partitions.list("scheduler"));
  expect([rebuilt!.epoch, rebuilt!.position]).toEqual([owned!.epoch, owned!.position]);
  await environment.append(topics.journal, uetrs[4]!, environment.report(uetrs[4]!, "made"));
  await environment.time.advance(20_000);
  expect(await environment.states(uetrs[4]!)).toContain("COMPLETED");
  expect(await environment.settle(checkConservation(store, schedulerDay))).toMatchObject({ isWhole: true });
  expect((await rebuildAll(environment, dryRun)).flatMap(({ differences }) => differences)).toEqual([]);
});

test("a rebuild says in the store which partitions are done, and that it ended", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await traffic(environment);
  await environment.settle(rebuildPartitions(buildPorts(environment), null, forReal, () => {}));
  const documents = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(documents.map(({ rebuild }) => [rebuild?.id, rebuild?.end, rebuild?.lastPartition])).toEqual([
    ["builder-1", "switched", 1],
    ["builder-1", "switched", 1],
  ]);
  expect(documents.every(({ rebuild }) => rebuild !== null && rebuild.done > 0n && rebuild.done === rebuild.of)).toBe(true);
});
