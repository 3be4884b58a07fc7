// The transactions of all partitions, each in the build that its partition's document names.
//
// #1 The owner of a partition reads and writes the build that its take-over named: `learn`.
// #2 A client that has taken over no partition reads the partitions' documents before each read.
// #3 Where one build is in use, which is nearly always, a read is one read. Where there are several, each returns its
//    own partitions.

import type { Item } from "@sluice/domain";
import type {
  NewestCursor,
  NewestStart,
  PartitionDocument,
  SummaryRow,
  TotalsRow,
  TransactionDocument,
  TransactionQuery,
  TransactionStore,
} from "../port.ts";

/** The partitions that a build serves; null: all. */
export type PartitionChoice = { readonly among: readonly number[] } | { readonly except: readonly number[] } | null;

type ItemRow = { readonly uetr: string; readonly bank: string | null; readonly item: Item };

/**
 * The transactions of one build: those of partitions that use it, and those that a past or unfinished build of others
 * left there.
 */
export interface BuildTransactions extends Pick<
  TransactionStore,
  "load" | "versions" | "write" | "open" | "quarantined" | "held" | "accounted"
> {
  identified(partitions: PartitionChoice, sender: string, messageIdentification: string, limit: number): Promise<readonly string[]>;
  items(partitions: PartitionChoice, day: string, afterUetr: string | null, limit: number): Promise<readonly ItemRow[]>;
  search(partitions: PartitionChoice, query: TransactionQuery, afterUetr: string | null, limit: number): Promise<readonly SummaryRow[]>;
  newest(
    partitions: PartitionChoice,
    query: TransactionQuery,
    after: NewestCursor | NewestStart,
    limit: number,
  ): Promise<readonly SummaryRow[]>;
  totals(partitions: PartitionChoice, query: TransactionQuery): Promise<readonly TotalsRow[]>;
  documents(partition: number, afterUetr: string | null, limit: number): Promise<readonly TransactionDocument[]>;
  remove(partition: number): Promise<void>;
}

export type PartitionBuild = Pick<PartitionDocument, "partition" | "epoch" | "build">;

export interface RouteTransactionsOptions {
  readonly inBuild: (build: number) => BuildTransactions;
  /** The builds of the scheduler's partitions, from their documents. */
  readonly builds: () => Promise<readonly PartitionBuild[]>;
}

export interface RoutedTransactions {
  readonly transactions: TransactionStore;
  /** Records the build that a take-over named. */
  readonly learn: (partition: PartitionBuild) => void;
}

/** Builds that are kept open: a partition has one in use, and one that is being made. */
const buildsKept = 16;

/** Opens each build once, because it remembers what was written to it. */
export function keepBuilds(open: (build: number) => BuildTransactions): (build: number) => BuildTransactions {
  const kept = new Map<number, BuildTransactions>();
  return (build) => {
    const known = kept.get(build);
    if (known !== undefined) return known;
    const opened = open(build);
    if (kept.size >= buildsKept) kept.clear();
    kept.set(build, opened);
    return opened;
  };
}

export function routeTransactions({ inBuild, builds }: RouteTransactionsOptions): RoutedTransactions {
  const learnt = new Map<number, PartitionBuild>();
  let isOwner = false;

  // The newest answer counts, also under a lower epoch: the store may have been restored to an older point.
  function learn(partition: PartitionBuild): void {
    learnt.set(partition.partition, partition);
  }

  async function refresh(): Promise<void> {
    if (isOwner) return;
    for (const partition of await builds()) learn(partition);
  }

  const buildFor = (partition: number): number => learnt.get(partition)?.build ?? 0;

  /** The builds in use, each with the partitions that it serves. */
  function inUse(): readonly (readonly [number, PartitionChoice])[] {
    const others = [...learnt.values()].filter(({ build }) => build !== 0);
    const used = [...new Set([...learnt.values()].map(({ build }) => build))];
    if (used.length <= 1) return [[used[0] ?? 0, null]];
    return used.map((build) => {
      const partitions = others.filter((partition) => partition.build === build).map(({ partition }) => partition);
      return [build, build === 0 ? { except: others.map(({ partition }) => partition) } : { among: partitions }] as const;
    });
  }

  async function readEach<T>(
    read: (build: BuildTransactions, partitions: PartitionChoice) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    await refresh();
    const found = await Promise.all(inUse().map(([build, partitions]) => read(inBuild(build), partitions)));
    return found.length === 1 ? (found[0] ?? []) : found.flat();
  }

  const transactions: TransactionStore = {
    async load(uetrs) {
      await refresh();
      const used = inUse();
      const [one] = used;
      if (used.length === 1 && one !== undefined) return inBuild(one[0]).load(uetrs);
      const loaded = await Promise.all(used.map(async ([build]) => [build, await inBuild(build).load(uetrs)] as const));
      const found = new Map<string, TransactionDocument>();
      for (const [build, documents] of loaded) {
        for (const [uetr, document] of documents) if (buildFor(document.transaction.partition) === build) found.set(uetr, document);
      }
      return new Map(uetrs.flatMap((uetr) => (found.has(uetr) ? [[uetr, found.get(uetr)!] as const] : [])));
    },
    async versions(uetrs) {
      await refresh();
      const loaded = await Promise.all(inUse().map(async ([build]) => [build, await inBuild(build).versions(uetrs)] as const));
      const ofTheirBuild = loaded.flatMap(([build, found]) => [...found].filter(([, { partition }]) => buildFor(partition) === build));
      return new Map(loaded.length === 1 ? loaded[0]![1] : ofTheirBuild);
    },
    async write(writes) {
      await refresh();
      const byBuild = [...Map.groupBy(writes, ({ document }) => buildFor(document.transaction.partition))];
      if (byBuild.length === 0) return { conflicts: [] };
      const answers = await Promise.all(byBuild.map(([build, own]) => inBuild(build).write(own)));
      return { conflicts: answers.flatMap(({ conflicts }) => conflicts).toSorted(byText) };
    },
    ...createPartitionReads(async (partition) => {
      await refresh();
      return inBuild(buildFor(partition));
    }),
    ...createPeopleQueries(readEach),
  };
  return {
    transactions,
    learn(partition) {
      isOwner = true;
      learn(partition);
    },
  };
}

/** Each read goes to the build of its partition. */
function createPartitionReads(
  findBuild: (partition: number) => Promise<BuildTransactions>,
): Pick<TransactionStore, "open" | "quarantined" | "held" | "accounted"> {
  return {
    open: async (partition, ...page) => (await findBuild(partition)).open(partition, ...page),
    quarantined: async (partition, limit) => (await findBuild(partition)).quarantined(partition, limit),
    held: async (partition, ...page) => (await findBuild(partition)).held(partition, ...page),
    accounted: async (partition, ...page) => (await findBuild(partition)).accounted(partition, ...page),
  };
}

type ReadEach = <T>(read: (build: BuildTransactions, partitions: PartitionChoice) => Promise<readonly T[]>) => Promise<readonly T[]>;

function createPeopleQueries(readEach: ReadEach): Pick<TransactionStore, "identified" | "items" | "search" | "newest" | "totals"> {
  return {
    async identified(sender, messageIdentification, limit) {
      const found = await readEach((build, partitions) => build.identified(partitions, sender, messageIdentification, limit));
      return found.toSorted(byText).slice(0, limit);
    },
    async items(day, afterUetr, limit) {
      const found = await readEach((build, partitions) => build.items(partitions, day, afterUetr, limit));
      const pages = [...Map.groupBy(found, ({ uetr }) => uetr)].toSorted(([a], [b]) => byText(a, b));
      return pages.slice(0, limit).flatMap(([, items]) => items);
    },
    async search(query, afterUetr, limit) {
      const found = await readEach((build, partitions) => build.search(partitions, query, afterUetr, limit));
      return found.toSorted((a, b) => byText(a.uetr, b.uetr)).slice(0, limit);
    },
    async newest(query, after, limit) {
      const found = await readEach((build, partitions) => build.newest(partitions, query, after, limit));
      return found.toSorted(byNewest).slice(0, limit);
    },
    async totals(query) {
      return mergeTotals(await readEach((build, partitions) => build.totals(partitions, query)));
    },
  };
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function byNewest(a: NewestCursor, b: NewestCursor): number {
  return b.receivedAtMs - a.receivedAtMs || byText(b.uetr, a.uetr);
}

/** Merges the rows of several builds into one row a group. */
function mergeTotals(rows: readonly TotalsRow[]): readonly TotalsRow[] {
  const groups = new Map<string, TotalsRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.bank, row.scheme, row.businessDate, row.currency, row.flow, row.state]);
    const previous = groups.get(key);
    groups.set(key, {
      ...row,
      count: row.count + (previous?.count ?? 0),
      sumTenThousandths: row.sumTenThousandths + (previous?.sumTenThousandths ?? 0n),
      oldestReceivedAtMs: Math.min(row.oldestReceivedAtMs, previous?.oldestReceivedAtMs ?? Infinity),
    });
  }
  return [...groups.values()];
}
