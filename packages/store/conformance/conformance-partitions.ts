// Part of the store's conformance: days, partitions and parked messages (`conformance.ts` has the transactions).

import type { Day, Marker } from "@sluice/domain";
import { expect, test } from "vitest";
import { conformanceAction } from "./conformance-decisions.ts";
import type { PartitionCursor, ParkedMessage, Store } from "../port.ts";

export function conformanceUetr(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export function conformanceDay(over: Partial<Day> = {}): Day {
  const base = { scheme: "ZA_EFT", businessDate: "2026-11-20" };
  const markers: readonly Marker[] = [
    {
      kind: "DayTimes",
      id: "ZA_EFT:2026-11-20:DayTimes:1",
      ...base,
      number: 1,
      reconciliationAtMs: 1_795_100_000_000,
      calendarVersion: "1",
    },
    { kind: "WindowClosed", id: "c", ...base, number: 1, isLast: true, nextBusinessDate: "2026-11-21" },
    { kind: "GateOpened", id: "g", ...base, number: 1, banks: null, except: ["second"] },
    { kind: "GateOpened", id: "h", ...base, number: 2, banks: ["second"], except: [] },
    { kind: "CreditsDeclared", id: "d", ...base, number: 1, bank: null, declaredBy: "clock" },
    { kind: "DayVoid", id: "v", ...base, nextBusinessDate: "2026-11-21" },
  ];
  return {
    key: "ZA_EFT:2026-11-20",
    version: 1,
    applied: 9_007_199_254_740_993n,
    plan: {
      kind: "DayPlanned",
      ...base,
      zone: "Africa/Johannesburg",
      calendarVersion: "1",
      isWorkingDay: true,
      windows: [{ number: 1, opensAtMs: 1_795_000_000_000, closesAtMs: 1_795_050_000_000 }],
      cutOffAtMs: 1_795_049_100_000,
      reconciliationAtMs: 1_795_100_000_000,
      nextBusinessDate: "2026-11-21",
      creditsFinal: "clock",
      partitionCount: 12,
    },
    planVersions: ["1"],
    opened: [1],
    closed: [],
    missed: [2],
    declarations: [
      {
        id: "d",
        bank: null,
        partitionsAwaited: [1],
        unresolved: [{ bank: "second", partitions: [0] }],
        clearEarly: [{ bank: "third", partitions: [1] }],
      },
    ],
    isGateOpen: true,
    reconciledAtMs: null,
    isVoided: true,
    extensions: [{ windowNumber: 0, closesAtMs: 1_795_200_000_000, action: conformanceAction, atMs: 1_795_000_000_500 }],
    usedActions: ["0011223344556677"],
    decisions: [
      {
        offset: 3n,
        atMs: 1_795_000_000_600,
        kind: "GateOpeningRequested",
        action: conformanceAction,
        result: "applied",
        why: null,
        bank: "second",
        credits: ["c-1"],
      },
    ],
    markers: markers.map((marker, n) => ({ offset: BigInt(n), atMs: 1_795_000_000_000 + n, marker })),
    ...over,
  };
}

export function dayPromises(open: () => Promise<Store>): void {
  test("a day comes back as it was written and changes by compare-and-set", async () => {
    const { days } = await open();
    expect(await days.write(conformanceDay(), 0)).toBe(true);
    expect(await days.write(conformanceDay({ isGateOpen: false }), 0)).toBe(false);
    expect(await days.write(conformanceDay({ version: 2, closed: [1] }), 1)).toBe(true);
    expect(await days.write(conformanceDay({ version: 2, closed: [9] }), 1)).toBe(false);
    const loaded = await days.load(["ZA_EFT:2026-11-20", "ZA_EFT:2026-11-21"]);
    expect([...loaded.values()]).toStrictEqual([conformanceDay({ version: 2, closed: [1] })]);
  });

  test("I8: no day is left out of the open ones, however many older days were never reconciled", async () => {
    const { days } = await open();
    const keys = Array.from({ length: 130 }, (_, n) => `ZA_EFT:${new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)}`);
    for (const key of keys) await days.write(conformanceDay({ key }), 0);
    expect((await days.open()).map(({ key }) => key)).toEqual(keys);
  });

  test("open days are those not yet reconciled that have windows, or whose windows were removed, by key", async () => {
    const { days } = await open();
    const keys = ["ZA_EFT:2026-11-22", "ZA_EFT:2026-11-20", "ZA_EFT:2026-11-21"];
    for (const key of keys) await days.write(conformanceDay({ key }), 0);
    await days.write(conformanceDay({ key: keys[1]!, version: 2, reconciledAtMs: 1_795_100_000_001 }), 1);
    await days.write(conformanceDay({ key: "ZA_EFT:2026-11-23", isVoided: false, plan: { ...conformanceDay().plan, windows: [] } }), 0);
    await days.write(conformanceDay({ key: "ZA_EFT:2026-11-24", isVoided: true, plan: { ...conformanceDay().plan, windows: [] } }), 0);
    expect((await days.open()).map(({ key }) => key)).toEqual(["ZA_EFT:2026-11-21", "ZA_EFT:2026-11-22", "ZA_EFT:2026-11-24"]);
  });
}

/** A partition that was never rebuilt. */
const first = { build: 0, log: null, rebuildLock: null, unproven: null, rebuild: null };

export function partitionPromises(open: () => Promise<Store>): void {
  test("a partition starts at position 0 under epoch 1; each take-over raises the epoch and shuts the old owner out", async () => {
    const { partitions } = await open();
    const held = await partitions.takeOver("scheduler", 3);
    const { owners } = held;
    expect(held).toStrictEqual({ service: "scheduler", partition: 3, epoch: 1, owners, position: 0n, state: null, lastBuild: 0, ...first });
    const state = { markers: [{ id: "a.b$c", offset: "9007199254740993" }], "dotted.key": { deep: [1.5, null, true, 1_795_000_000_000] } };
    expect(await partitions.write("scheduler", 3, held, 9_007_199_254_740_993n, state)).toBe(true);
    expect(await partitions.write("scheduler", 3, { ...held, position: 9_007_199_254_740_993n }, 9_007_199_254_740_995n)).toBe(true);
    const taken = await partitions.takeOver("scheduler", 3);
    const { position } = taken;
    expect(taken).toStrictEqual({ ...held, epoch: 2, owners: [taken.owners[0], ...owners], position: 9_007_199_254_740_995n, state });
    expect(await partitions.write("scheduler", 3, { ...held, position }, position, null)).toBe(false);
    expect(await partitions.write("scheduler", 4, held, 1n)).toBe(false);
    expect((await partitions.list("scheduler")).map(({ position }) => position)).toEqual([9_007_199_254_740_995n]);
  });

  test("a position is written over the one that its writer knows, or over one that it may have written since", async () => {
    const { partitions } = await open();
    const held = await partitions.takeOver("scheduler", 3);
    expect(await partitions.write("scheduler", 3, held, 20n)).toBe(true);
    // The answer to the write of 20 was lost.
    expect(await partitions.write("scheduler", 3, held, 30n)).toBe(true);
    // The store has a position below the one that was written: it was restored to an older point.
    expect(await partitions.write("scheduler", 3, { ...held, position: 31n }, 40n)).toBe(false);
    // A write that arrives late, behind a newer one.
    expect(await partitions.write("scheduler", 3, held, 25n)).toBe(false);
    expect((await partitions.list("scheduler")).map(({ position }) => position)).toEqual([30n]);
  });

  test("I1: an epoch has one owner: a write under the same epoch of another owner is refused, as after a restore", async () => {
    const { partitions } = await open();
    const held = await partitions.takeOver("scheduler", 3);
    const another = await partitions.takeOver("scheduler", 4);
    expect(another).toMatchObject({ epoch: held.epoch, position: held.position });
    expect(another.owners).not.toEqual(held.owners);
    expect(await partitions.write("scheduler", 4, held, 9n)).toBe(false);
    expect(await partitions.write("scheduler", 4, another, 5n)).toBe(true);
    const { owners } = await partitions.takeOver("scheduler", 4);
    expect(owners.map((owner) => owner.slice(0, owner.indexOf(":")))).toEqual(["2", "1"]);
    expect(owners.slice(1)).toEqual(another.owners);
    for (let more = 0; more < 20; more += 1) await partitions.takeOver("scheduler", 4);
    const found = (await partitions.positions("scheduler")).find(({ partition }) => partition === 4);
    expect([found?.epoch, found?.owners.length, found?.owners[0]?.startsWith("22:")]).toEqual([22, 16, true]);
  });

  test("how far a rebuild is comes back with the partition's document, and nothing else of it changes", async () => {
    const { partitions } = await open();
    const times = { startedMs: 1_795_000_000_000, updatedMs: 1_795_000_002_000 };
    const progress = { ...times, id: "rebuild-1", done: 20_000n, of: 9_007_199_254_740_993n, lastPartition: 11, end: null };
    await partitions.noteRebuild("scheduler", 3, progress);
    expect(await partitions.list("scheduler")).toEqual([]);
    const held = await partitions.takeOver("scheduler", 3);
    expect(held.rebuild).toBeNull();
    await partitions.noteRebuild("scheduler", 3, progress);
    expect(await partitions.list("scheduler")).toStrictEqual([{ ...held, rebuild: progress }]);
    expect(await partitions.write("scheduler", 3, held, 7n)).toBe(true);
    const ended = { ...progress, done: progress.of, end: "switched" } as const;
    await partitions.noteRebuild("scheduler", 3, ended);
    expect(await partitions.list("scheduler")).toMatchObject([{ position: 7n, epoch: held.epoch, rebuild: ended }]);
  });

  test("the topic of a partition is noted once, by its owner, and stays with the partition", async () => {
    const { partitions } = await open();
    await partitions.takeOver("scheduler", 3);
    const log = { clusterId: "cluster-1", topicId: "topic-1" };
    expect(await partitions.noteLog("scheduler", 3, 2, log)).toBe(false);
    expect(await partitions.noteLog("scheduler", 3, 1, log)).toBe(true);
    expect(await partitions.noteLog("scheduler", 3, 1, { ...log, topicId: "topic-2" })).toBe(false);
    expect(await partitions.takeOver("scheduler", 3)).toMatchObject({ epoch: 2, log });
  });

  test("partitions of a service are listed in order, without those of another service", async () => {
    const { partitions } = await open();
    for (const partition of [11, 2, 0]) await partitions.takeOver("dispatcher", partition);
    await partitions.takeOver("scheduler", 1);
    expect((await partitions.list("dispatcher")).map(({ partition }) => partition)).toEqual([0, 2, 11]);
    expect(await partitions.positions("dispatcher")).toStrictEqual(
      (await partitions.list("dispatcher")).map(({ partition, epoch, owners, position }) => ({ partition, epoch, owners, position })),
    );
  });

  test("when many processes take over a partition at once, each gets its own epoch", async () => {
    const { partitions } = await open();
    const taken = await Promise.all(Array.from({ length: 6 }, () => partitions.takeOver("scheduler", 1)));
    expect(taken.map(({ epoch }) => epoch).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });
}

export function conformanceParked(over: Partial<ParkedMessage> = {}): ParkedMessage {
  return {
    id: "m1",
    partition: 2,
    receiverId: "first",
    deliveryKey: conformanceUetr(1),
    uetr: conformanceUetr(1),
    operation: "inboundDirectDebit",
    sequence: 9_007_199_254_740_993n,
    record: Uint8Array.of(0, 200, 3),
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    nextAttemptAtMs: 1_795_000_000_000,
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    attempts: 1,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    recentAttempts: [
      { atMs: 1_795_000_000_001, httpStatusCode: 503, answer: "busy", tookMs: 12.25, address: "http://bank/events", class: "transient" },
    ],
    earlier: null,
    ended: null,
    redrive: null,
    stop: null,
    version: 4_294_967_297n,
    ...over,
  };
}

export function parkedPromises(open: () => Promise<Store>, name: "deliveries" | "postings"): void {
  test(`${name}: inserting a duplicate leaves the stored message and names it; the others of the bulk are inserted`, async () => {
    const store = (await open())[name];
    expect(await store.insert([conformanceParked()])).toEqual({ existing: [] });
    const inserted = await store.insert([
      conformanceParked({ id: "m0", deadlineMs: 1_795_000_000_999, stopsAtMs: 1_795_000_000_998, reconciliationDay: null }),
      conformanceParked({ attempts: 9, version: 9n }),
      conformanceParked({ id: "m2" }),
    ]);
    expect(inserted).toEqual({ existing: ["m1"] });
    expect(await store.insert([])).toEqual({ existing: [] });
    const loaded = await store.load(["m2", "m1", "m0", "m9"]);
    expect([...loaded.keys()]).toEqual(["m2", "m1", "m0"]);
    expect(loaded.get("m1")).toStrictEqual(conformanceParked());
    expect(loaded.get("m0")).toStrictEqual(
      conformanceParked({ id: "m0", deadlineMs: 1_795_000_000_999, stopsAtMs: 1_795_000_000_998, reconciliationDay: null }),
    );
  });

  test(`${name}: an update replaces attempt state and version, and nothing else; an absent message is not updated`, async () => {
    const store = (await open())[name];
    await store.insert([conformanceParked()]);
    const changed = {
      attempts: 2,
      anyAnswer: true,
      mayHaveBeenTaken: true,
      nextAttemptAtMs: 1_795_000_005_000,
      recentAttempts: [],
      earlier: { count: 3, firstAtMs: 1_795_000_000_001, lastAtMs: 1_795_000_000_009, answers: [{ httpStatusCode: null, count: 3 }] },
      ended: "refused",
      redrive: { offset: 9_007_199_254_740_995n, untilMs: 1_795_000_003_600 },
      stop: { offset: 9_007_199_254_740_996n, operator: "thandi", confirmedBy: null },
      version: 9_007_199_254_740_997n,
    } as const;
    const { version } = conformanceParked();
    expect(await store.update(conformanceParked({ ...changed, record: Uint8Array.of(9), receiverId: "second" }), version)).toBe(true);
    expect(await store.update(conformanceParked({ id: "gone" }), version)).toBe(false);
    expect([...(await store.load(["m1", "gone"])).values()]).toStrictEqual([conformanceParked(changed)]);
    const again = { redrive: { offset: 1n, untilMs: null }, version: 9_007_199_254_740_999n } as const;
    expect(await store.update(conformanceParked(again), changed.version)).toBe(true);
    expect((await store.load(["m1"])).get("m1")).toStrictEqual(conformanceParked(again));
  });

  test(`${name}: an update is a compare-and-set on the version: of writers that expect the same one, one wins`, async () => {
    const store = (await open())[name];
    await store.insert([conformanceParked({ version: 7n })]);
    expect(await store.update(conformanceParked({ attempts: 2, version: 9n }), 6n)).toBe(false);
    expect(await store.update(conformanceParked({ attempts: 2, version: 9n }), 8n)).toBe(false);
    expect((await store.load(["m1"])).get("m1")).toStrictEqual(conformanceParked({ version: 7n }));
    const wins = await Promise.all([11n, 12n, 13n].map((version) => store.update(conformanceParked({ version }), 7n)));
    expect(wins.filter(Boolean)).toHaveLength(1);
    expect((await store.load(["m1"])).get("m1")!.version).toBe(11n + BigInt(wins.indexOf(true)));
  });

  test(`${name}: the versions of messages are read without them, and missing ones are left out`, async () => {
    const store = (await open())[name];
    await store.insert([conformanceParked({ version: 9_007_199_254_740_993n }), conformanceParked({ id: "m2", version: 2n })]);
    expect(await store.versions(["m2", "gone", "m1"])).toEqual(
      new Map([
        ["m1", 9_007_199_254_740_993n],
        ["m2", 2n],
      ]),
    );
    expect(await store.versions([])).toEqual(new Map());
  });

  test(`${name}: a removal is final and can be repeated`, async () => {
    const store = (await open())[name];
    await store.insert([conformanceParked(), conformanceParked({ id: "m2" })]);
    const [m1, gone] = [conformanceParked(), conformanceParked({ id: "gone" })];
    expect(await store.remove([m1, gone])).toEqual({ conflicts: [] });
    expect(await store.remove([m1])).toEqual({ conflicts: [] });
    expect(await store.remove([])).toEqual({ conflicts: [] });
    expect([...(await store.load(["m1", "m2"])).keys()]).toEqual(["m2"]);
  });

  test(`${name}: a removal is a compare-and-set on the version: it names what stays, and removes the others of the bulk`, async () => {
    const store = (await open())[name];
    await store.insert(["m1", "m2", "m3"].map((id) => conformanceParked({ id, version: 7n })));
    const removed = await store.remove([
      { id: "m3", version: 6n },
      { id: "m2", version: 7n },
      { id: "m1", version: 8n },
    ]);
    expect(removed).toEqual({ conflicts: ["m1", "m3"] });
    expect([...(await store.load(["m1", "m2", "m3"])).keys()]).toEqual(["m1", "m3"]);
  });

  test(`${name}: a take-over raises the lesser versions of a partition from a sequence on, and changes nothing else`, async () => {
    const store = (await open())[name];
    const at = (id: string, sequence: bigint, version: bigint, partition = 2) => conformanceParked({ id, sequence, version, partition });
    await store.insert([at("a", 9n, 1n), at("b", 10n, 1n), at("c", 11n, 9n), at("d", 11n, 7n), at("e", 12n, 1n, 3)]);
    await store.raiseVersions(2, 10n, 8n);
    await store.raiseVersions(2, 10n, 8n);
    const loaded = await store.load(["a", "b", "c", "d", "e"]);
    expect([...loaded.values()].map(({ version }) => version)).toEqual([1n, 8n, 9n, 8n, 1n]);
    expect(loaded.get("b")).toStrictEqual(at("b", 10n, 8n));
    expect(await store.update(at("b", 10n, 9n), 1n)).toBe(false);
    await store.raiseVersions(4, 0n, 8n);
  });

  test(`${name}: people page through those that were attempted so often or more, of one receiver or of all`, async () => {
    const store = (await open())[name];
    const at = (id: string, receiverId: string, attempts: number, sequence: bigint) =>
      conformanceParked({ id, receiverId, attempts, sequence });
    await store.insert([at("a", "second", 9, 1n), at("b", "first", 3, 4n), at("c", "first", 2, 2n), at("d", "first", 700, 3n)]);
    await store.insert([{ ...at("e", "first", 9, 1n), ended: "stopped" }]);
    const ids = async (...asked: Parameters<typeof store.listByReceiver>) => (await store.listByReceiver(...asked)).map(({ id }) => id);
    expect(await ids(null, null, 10, 3)).toEqual(["d", "b", "a"]);
    expect(await ids("first", null, 10, 3)).toEqual(["d", "b"]);
    expect(await ids(null, { receiverId: "first", sequence: 3n, id: "d" }, 1, 3)).toEqual(["b"]);
    expect(await ids(null, null, 10, 0)).toEqual(["c", "d", "b", "a"]);
  });

  test(`${name}: a partition is read in order of sequence, then id, in pages`, async () => {
    const store = (await open())[name];
    const at = (id: string, sequence: bigint, partition = 2): ParkedMessage => conformanceParked({ id, sequence, partition });
    await store.insert([at("d", 10n), at("b", 9n), at("c", 10n), at("a", 11n), at("z", 1n, 3)]);
    const first = await store.listByPartition(2, null, 2);
    expect(first.map(({ id }) => id)).toEqual(["b", "c"]);
    const { sequence, id: lastId } = first[1]!;
    expect((await store.listByPartition(2, { sequence, id: lastId }, 10)).map(({ id }) => id)).toEqual(["d", "a"]);
  });

  test(`${name}: a partition is read without the receivers named, and without the bytes`, async () => {
    const store = (await open())[name];
    const at = (id: string, sequence: bigint, bank: string): ParkedMessage =>
      conformanceParked({ id, sequence, partition: 2, receiverId: bank });
    const messages = [at("a", 9n, "one"), at("b", 10n, "two"), at("c", 11n, "three"), at("d", 12n, "one"), at("e", 500_000n, "four")];
    await store.insert(messages);
    const left = async (after: PartitionCursor | null, ...butOf: string[]) =>
      (await store.listByPartition(2, after, 3, { exceptReceivers: butOf })).map(({ id }) => id);
    expect(await left(null, "two")).toEqual(["a", "c", "d"]);
    expect(await left({ sequence: 9n, id: "a" }, "one", "three", "none")).toEqual(["b", "e"]);
    expect(await left(null)).toEqual(["a", "b", "c"]);
    const { record: _, ...row } = messages[1]!;
    expect(await store.listByPartition(2, null, 10, { exceptReceivers: ["one", "three", "four"] })).toStrictEqual([row]);
  });

  test(`${name}: one receiver's messages in a partition are read alone, of all operations or of some`, async () => {
    const store = (await open())[name];
    const at = (id: string, sequence: bigint, receiverId: string, operation: string | null): ParkedMessage =>
      conformanceParked({ id, sequence, partition: 2, receiverId, operation });
    await store.insert([at("a", 9n, "one", "x"), at("b", 10n, "two", "x"), at("c", 11n, "one", null), at("d", 12n, "one", "y")]);
    await store.insert([conformanceParked({ id: "e", sequence: 13n, partition: 3, receiverId: "one" })]);
    const only = async (after: PartitionCursor | null, limit: number, operations: readonly (string | null)[] | null) =>
      (await store.listByPartition(2, after, limit, { only: { receiverId: "one", operations } })).map(({ id }) => id);
    expect(await only(null, 10, null)).toEqual(["a", "c", "d"]);
    expect(await only({ sequence: 9n, id: "a" }, 1, null)).toEqual(["c"]);
    expect(await only(null, 10, ["x", null])).toEqual(["a", "c"]);
    expect(await only(null, 10, ["y"])).toEqual(["d"]);
  });

  test(`${name}: the messages of some delivery keys are read, the oldest first, without the bytes`, async () => {
    const store = (await open())[name];
    const at = (id: string, sequence: bigint, deliveryKey: string, ended: ParkedMessage["ended"] = null): ParkedMessage =>
      conformanceParked({ id, sequence, deliveryKey, ended });
    const messages = [at("a", 12n, "k1"), at("b", 10n, "k2"), at("c", 11n, "k1", "refused"), at("d", 9n, "k3")];
    await store.insert(messages);
    expect((await store.listByKeys(["k1", "k2", "gone"], 10)).map(({ id }) => id)).toEqual(["b", "c", "a"]);
    expect((await store.listByKeys(["k1", "k2"], 2)).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(await store.listByKeys([], 10)).toEqual([]);
    const { record: _, ...row } = messages[3]!;
    expect(await store.listByKeys(["k3"], 10)).toStrictEqual([row]);
  });
}
