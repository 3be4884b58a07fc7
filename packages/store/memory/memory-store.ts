// The memory store: the same documents and promises as MongoDB, answered through `time.after` with seeded latency, so
// that it runs under a virtual clock. `hooks` give the faults that a client sees.
//
// #1 A call takes effect at one instant between its start and its answer; `random` draws both times.
// #2 Every call is passed to `observe`, with all that it carries, before anything happens; the same seed gives the same
//    calls.
// #3 State belongs to the store, not to a client: `close` loses nothing, as a database does not when a process ends.
// #4 A backup is the whole store at one instant. A call that is under way at a restore has no effect, as where a
//    database is stopped and its connections break.

import { type Day, type DayKey, receiversMax } from "@sluice/domain";
import { createMemoryEndpointHealth } from "./endpoint-health.ts";
import { bankStateCodec, type StoredBankState } from "../documents/bank-state-document.ts";
import { assertBulk, openDaysMax } from "../bounds.ts";
import { dayCodec, type StoredDay } from "../documents/day-document.ts";
import {
  addOwner,
  nextBuild,
  partitionCodec,
  rebuildCodec,
  newStoredPartition,
  partitionDocumentId,
  type StoredPartition,
  unprovenCodec,
} from "../documents/partition-document.ts";
import { ledgerCodec, listLedgerIds, splitLedgers, type StoredLedger } from "../documents/ledger-document.ts";
import { compareText, createMemoryCall, type MemoryCall, type MemoryStoreOptions, pickKept } from "./memory-call.ts";
import { createMemoryParkedMessages } from "./parked-messages.ts";
import type {
  BankStore,
  DayStore,
  LedgerRead,
  LedgerStore,
  LedgerWrite,
  PartitionLedger,
  PartitionStore,
  PartitionWrite,
  Store,
} from "../port.ts";
import { trackBuilds } from "../builds/track-builds.ts";
import { WrittenDocuments } from "../documents/changed-members.ts";
import type { StoredTransaction } from "../documents/transaction-document.ts";
import { type BuildTransactions, type PartitionBuild, routeTransactions } from "../builds/route-transactions.ts";
import { createMemoryTransactions } from "./transactions.ts";

/** A store that can go back to an older point, as one that is restored, or fails over to a replica that is behind. */
export interface MemoryStore extends Store {
  /** Copies everything; the function that it returns puts that copy in place, under every client. */
  backUp(): () => void;
}

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  let restores = 0;
  const call = createMemoryCall(options, () => restores);
  const drawName = (): string => Math.floor(options.random.fraction() * Number.MAX_SAFE_INTEGER).toString(16);
  const { keep, backUp } = createCollections();
  const partitions = keep(new Map<string, StoredPartition>());
  const builds = new Map<number, Map<string, StoredTransaction>>([[0, new Map()]]);
  const documentsIn = (build: number): Map<string, StoredTransaction> => {
    const kept = builds.get(build) ?? new Map<string, StoredTransaction>();
    builds.set(build, kept);
    return kept;
  };
  const backUpAll = (): (() => void) => {
    const copies = [backUp(), copyBuilds(builds)];
    return () => {
      restores += 1;
      copies.forEach((restore) => restore());
    };
  };
  const written = new WeakMap<Map<string, StoredTransaction>, WrittenDocuments>();
  const inBuild = (build: number): BuildTransactions => {
    const documents = documentsIn(build);
    const known = written.get(documents) ?? new WrittenDocuments();
    written.set(documents, known);
    return createMemoryTransactions(call, documents, known);
  };
  // Builds are looked up without a call of their own, which would be one more call that can fail; a real store reads
  // them with the partitions.
  const listBuilds = (): Promise<readonly PartitionBuild[]> =>
    Promise.resolve([...partitions.values()].filter(({ service }) => service === "scheduler").map(partitionCodec.decode));
  const { transactions, learn } = routeTransactions({ inBuild, builds: listBuilds });
  return {
    transactions,
    days: createMemoryDays(call, keep(new Map())),
    banks: createMemoryBankStates(call, keep(new Map())),
    ledgers: createMemoryLedgers(call, keep(new Map())),
    partitions: trackBuilds(createMemoryPartitions(call, partitions, drawName), learn),
    builds: {
      transactions: inBuild,
      documents: (partition, build, afterUetr, limit) => inBuild(build).documents(partition, afterUetr, limit),
      remove: (partition, build) => inBuild(build).remove(partition),
      prepare: (build) => call("builds.prepare", [`${build}`], null, () => void documentsIn(build)),
      drop: (build) => call("builds.drop", [`${build}`], null, () => void (build > 0 && builds.delete(build))),
      list: () => call("builds.list", [], null, () => [...builds.keys()].sort((a, b) => a - b)),
    },
    deliveries: createMemoryParkedMessages("deliveries", call, keep(new Map())),
    postings: createMemoryParkedMessages("postings", call, keep(new Map())),
    endpointHealth: createMemoryEndpointHealth(call, keep(new Map())),
    prepare: () => call("store.prepare", [], null, () => undefined),
    missingIndexes: () => call("store.missing-indexes", [], null, () => []),
    ping: () => call("store.ping", [], null, () => undefined),
    close: () => Promise.resolve(),
    backUp: backUpAll,
  };
}

/** Keeps the collections of a store, so that all of them are copied at one instant. Stored documents never change. */
function createCollections() {
  const all: Map<string, unknown>[] = [];
  return {
    keep: <T>(collection: Map<string, T>): Map<string, T> => {
      all.push(collection);
      return collection;
    },
    backUp: (): (() => void) => {
      const copies = all.map((collection) => new Map(collection));
      return () => all.forEach((collection, index) => refill(collection, copies[index] ?? new Map()));
    },
  };
}

/** Copies every build; a build that is newer than the copy is gone after the restore. */
function copyBuilds(builds: Map<number, Map<string, StoredTransaction>>): () => void {
  const copies = new Map([...builds].map(([build, documents]) => [build, new Map(documents)]));
  return () => {
    for (const [build, documents] of builds) {
      refill(documents, copies.get(build) ?? new Map());
      if (!copies.has(build)) builds.delete(build);
    }
    for (const [build, documents] of copies) if (!builds.has(build)) builds.set(build, new Map(documents));
  };
}

function refill<K, T>(collection: Map<K, T>, from: ReadonlyMap<K, T>): void {
  collection.clear();
  for (const [key, document] of from) collection.set(key, document);
}

function createMemoryDays(call: MemoryCall, kept: Map<string, StoredDay>): DayStore {
  return {
    async load(keys) {
      assertBulk(keys.length);
      return call("days.load", keys, null, () => pickKept(kept, keys, dayCodec.decode));
    },
    async write(day, expectedVersion) {
      const stored = dayCodec.encode(day);
      return call("days.write", [day.key], [stored, expectedVersion], () => {
        if ((kept.get(day.key)?.version ?? 0) !== expectedVersion) return false;
        kept.set(day.key, stored);
        return true;
      });
    },
    open: () =>
      call("days.open", [], null, () =>
        [...kept.values()]
          .filter((stored) => !stored.isReconciled)
          .sort((a, b) => compareText(a._id, b._id))
          .slice(0, openDaysMax)
          .map((stored): Day => dayCodec.decode(stored)),
      ),
  };
}

function createMemoryBankStates(call: MemoryCall, kept: Map<string, StoredBankState>): BankStore {
  return {
    async load(ids) {
      assertBulk(ids.length);
      return call("banks.load", ids, null, () => pickKept(kept, ids, bankStateCodec.decode));
    },
    async write(state, expectedVersion) {
      const stored = bankStateCodec.encode(state);
      return call("banks.write", [state.bank], [stored, expectedVersion], () => {
        if ((kept.get(state.bank)?.version ?? 0) !== expectedVersion) return false;
        kept.set(state.bank, stored);
        return true;
      });
    },
    all: () =>
      call("banks.all", [], null, () =>
        [...kept.values()]
          .sort((a, b) => Number(b.isPaused) - Number(a.isPaused) || compareText(a._id, b._id))
          .slice(0, receiversMax)
          .sort((a, b) => compareText(a._id, b._id))
          .map(bankStateCodec.decode),
      ),
  };
}

function createMemoryLedgers(call: MemoryCall, kept: Map<string, StoredLedger>): LedgerStore {
  const sorted = (): StoredLedger[] => [...kept.values()].sort((a, b) => a.partition - b.partition || compareText(a.day, b.day));
  async function writeMany(writes: readonly LedgerWrite[]): Promise<readonly boolean[]> {
    assertBulk(writes.length);
    const all = writes.map(({ ledger, expectedVersion }) => ({ stored: ledgerCodec.encode(ledger), expectedVersion }));
    const keys = all.map(({ stored }) => stored._id);
    const payload = all.map(({ stored, expectedVersion }) => [stored, expectedVersion]);
    return call("ledgers.write", keys, payload, (documentsMax) =>
      all.map(({ stored, expectedVersion }, index) => {
        const before = kept.get(stored._id);
        if (index >= documentsMax || (before?.version ?? 0) !== expectedVersion) return false;
        if (before !== undefined && before.through > stored.through) return false;
        kept.set(stored._id, stored);
        return true;
      }),
    );
  }
  async function loadMany(reads: readonly LedgerRead[]): Promise<readonly ReadonlyMap<DayKey, PartitionLedger>[]> {
    const ids = listLedgerIds(reads);
    assertBulk(ids.length);
    const found = await call("ledgers.load", ids, null, () => pickKept(kept, ids, ledgerCodec.decode));
    return splitLedgers(reads, found);
  }
  return {
    load: async (partition, days) => (await loadMany([{ partition, days }]))[0]!,
    loadMany,
    async write(ledger, expectedVersion) {
      return (await writeMany([{ ledger, expectedVersion }]))[0] ?? false;
    },
    writeMany,
    listByDay: (day) =>
      call("ledgers.listByDay", [day], null, () =>
        sorted()
          .filter((stored) => stored.day === day)
          .map(ledgerCodec.decode),
      ),
    listByPartition: (partition) =>
      call("ledgers.listByPartition", [`${partition}`], null, () =>
        sorted()
          .filter((stored) => stored.partition === partition)
          .map(ledgerCodec.decode),
      ),
  };
}

function createMemoryPartitions(call: MemoryCall, kept: Map<string, StoredPartition>, drawName: () => string): PartitionStore {
  const raise = (found: StoredPartition): StoredPartition => {
    return { ...found, epoch: found.epoch + 1, owners: addOwner(found.epoch + 1, drawName(), found.owners) };
  };
  function writeOne({ service, partition, held, position, unproven }: PartitionWrite, text: string | undefined): boolean {
    const id = partitionDocumentId(service, partition);
    const found = kept.get(id);
    if (found?.epoch !== held.epoch || found.owners?.[0] !== held.owners[0]) return false;
    if (found.position < held.position || found.position > position) return false;
    kept.set(id, { ...found, position, state: text ?? found.state, unproven: unprovenCodec.encode(unproven) });
    return true;
  }
  async function writeMany(writes: readonly PartitionWrite[]): Promise<readonly boolean[]> {
    assertBulk(writes.length);
    const all = writes.map((write) => ({ write, text: write.state === undefined ? undefined : JSON.stringify(write.state) }));
    const keys = writes.map(({ service, partition }) => partitionDocumentId(service, partition));
    const payload = all.map(({ write: { held, position, unproven }, text }) => [held.epoch, held.position, position, text, unproven]);
    return call("partitions.write", keys, payload, (documentsMax) =>
      all.map(({ write, text }, index) => index < documentsMax && writeOne(write, text)),
    );
  }
  return {
    async takeOver(service, partition) {
      const id = partitionDocumentId(service, partition);
      return call("partitions.takeOver", [id], null, () => {
        const found = kept.get(id);
        const taken = found === undefined ? newStoredPartition(service, partition, drawName()) : raise(found);
        kept.set(id, taken);
        return partitionCodec.decode(taken);
      });
    },
    async write(service, partition, held, position, state, unproven = null) {
      return (await writeMany([{ service, partition, held, position, state, unproven }]))[0] ?? false;
    },
    writeMany,
    async moveBack(service, partition, held, position) {
      const id = partitionDocumentId(service, partition);
      return call("partitions.moveBack", [id], [held.epoch, held.position, position], () => {
        const found = kept.get(id);
        if (found?.epoch !== held.epoch || found.owners?.[0] !== held.owners[0]) return false;
        if (found.position < position || found.position > held.position) return false;
        kept.set(id, { ...found, position, unproven: null });
        return true;
      });
    },
    async noteLog(service, partition, epoch, log) {
      const id = partitionDocumentId(service, partition);
      return call("partitions.noteLog", [id], [epoch, log], () => {
        const found = kept.get(id);
        if (found?.epoch !== epoch || found.log !== null) return false;
        kept.set(id, { ...found, log: { ...log } });
        return true;
      });
    },
    async claimBuild(service, partition, least) {
      const key = partitionDocumentId(service, partition);
      return call("partitions.claimBuild", [key], least, () => {
        const found = kept.get(key);
        if (found === undefined) return null;
        const lastBuild = nextBuild(found, least);
        kept.set(key, { ...found, lastBuild });
        return lastBuild;
      });
    },
    ...createRebuildLocks(call, kept, raise),
    ...createPartitionLists(call, kept),
  };
}

function createRebuildLocks(
  call: MemoryCall,
  kept: Map<string, StoredPartition>,
  raise: (found: StoredPartition) => StoredPartition,
): Pick<PartitionStore, "lock" | "noteRebuild" | "switchTo" | "unlock"> {
  return {
    async noteRebuild(service, partition, progress) {
      const id = partitionDocumentId(service, partition);
      return call("partitions.noteRebuild", [id], progress, () => {
        const found = kept.get(id);
        if (found !== undefined) kept.set(id, { ...found, rebuild: rebuildCodec.encode(progress) });
      });
    },
    async lock(service, partition, { id, untilMs }) {
      const key = partitionDocumentId(service, partition);
      return call("partitions.lock", [key], [id, untilMs], () => {
        const found = kept.get(key);
        const holder = found?.rebuildLock?.id ?? null;
        if (found === undefined || (holder !== null && holder !== id)) return null;
        const held = { ...(holder === id ? found : raise(found)), rebuildLock: { id, until: new Date(untilMs) } };
        kept.set(key, held);
        return partitionCodec.decode(held);
      });
    },
    async unlock(service, partition, holdId) {
      const key = partitionDocumentId(service, partition);
      return call("partitions.unlock", [key], holdId, () => {
        const found = kept.get(key);
        if (found?.rebuildLock?.id !== holdId) return false;
        kept.set(key, { ...found, rebuildLock: null });
        return true;
      });
    },
    async switchTo(service, partition, holdId, { build, position, state }) {
      const key = partitionDocumentId(service, partition);
      const text = JSON.stringify(state);
      return call("partitions.switchTo", [key], [holdId, build, position, text], () => {
        const found = kept.get(key);
        if (found?.rebuildLock?.id !== holdId) return false;
        kept.set(key, { ...raise(found), build, position, state: text, rebuildLock: null, unproven: null });
        return true;
      });
    },
  };
}

function createPartitionLists(call: MemoryCall, kept: ReadonlyMap<string, StoredPartition>): Pick<PartitionStore, "list" | "positions"> {
  const listStored = (service: string): StoredPartition[] =>
    [...kept.values()].filter((stored) => stored.service === service).sort((a, b) => a.partition - b.partition);
  return {
    list: (service) => call("partitions.list", [service], null, () => listStored(service).map(partitionCodec.decode)),
    positions: (service) =>
      call("partitions.positions", [service], null, () =>
        listStored(service).map(({ partition, epoch, owners, position }) => ({ partition, epoch, owners: owners ?? [], position })),
      ),
  };
}
