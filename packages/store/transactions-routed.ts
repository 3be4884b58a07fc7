// The transactions of all lanes, each in the build that its lane's document names.
//
// 1. What a lane's owner reads and writes goes to the build that its take-over named: `learn`.
// 2. Whoever has taken over nothing asks the lanes' documents before each read.
// 3. Where one build is in use, which is nearly always, a read is one read. Where there are several, each answers for its own lanes.

import type { Item } from "@sluice/domain";
import type { LaneDocument, SummaryRow, TotalsRow, TransactionDocument, TransactionQuery, TransactionStore } from "./port.ts";

/** Lanes that a build answers for; null: all. */
export type LaneChoice = { readonly among: readonly number[] } | { readonly except: readonly number[] } | null;

type ItemRow = { readonly uetr: string; readonly bank: string | null; readonly item: Item };

/** The transactions of one build: those of lanes that use it, and what is left or being built of others. */
export interface BuildTransactions extends Pick<TransactionStore, "load" | "write" | "open" | "held" | "accounted"> {
  identified(lanes: LaneChoice, sender: string, messageIdentification: string, limit: number): Promise<readonly string[]>;
  items(lanes: LaneChoice, day: string, afterUetr: string | null, limit: number): Promise<readonly ItemRow[]>;
  search(lanes: LaneChoice, query: TransactionQuery, afterUetr: string | null, limit: number): Promise<readonly SummaryRow[]>;
  totals(lanes: LaneChoice, query: TransactionQuery): Promise<readonly TotalsRow[]>;
  documents(lane: number, afterUetr: string | null, limit: number): Promise<readonly TransactionDocument[]>;
  remove(lane: number): Promise<void>;
}

export type LaneBuild = Pick<LaneDocument, "partition" | "epoch" | "build">;

export interface RoutedOptions {
  readonly of: (build: number) => BuildTransactions;
  /** Of the scheduler's lanes, as their documents have them. */
  readonly builds: () => Promise<readonly LaneBuild[]>;
}

export interface Routed {
  readonly transactions: TransactionStore;
  /** From a take-over. */
  readonly learn: (lane: LaneBuild) => void;
}

export function routed({ of, builds }: RoutedOptions): Routed {
  const learnt = new Map<number, LaneBuild>();
  let isOwner = false;

  function learn(lane: LaneBuild): void {
    if ((learnt.get(lane.partition)?.epoch ?? 0) <= lane.epoch) learnt.set(lane.partition, lane);
  }

  async function refresh(): Promise<void> {
    if (isOwner) return;
    for (const lane of await builds()) learn(lane);
  }

  const buildOf = (lane: number): number => learnt.get(lane)?.build ?? 0;

  /** Builds in use, each with the lanes that it answers for. */
  function inUse(): readonly (readonly [number, LaneChoice])[] {
    const others = [...learnt.values()].filter(({ build }) => build !== 0);
    const used = [...new Set([...learnt.values()].map(({ build }) => build))];
    if (used.length <= 1) return [[used[0] ?? 0, null]];
    return used.map((build) => {
      const lanes = others.filter((lane) => lane.build === build).map(({ partition }) => partition);
      return [build, build === 0 ? { except: others.map(({ partition }) => partition) } : { among: lanes }] as const;
    });
  }

  async function ofEach<T>(read: (build: BuildTransactions, lanes: LaneChoice) => Promise<readonly T[]>): Promise<readonly T[]> {
    await refresh();
    const found = await Promise.all(inUse().map(([build, lanes]) => read(of(build), lanes)));
    return found.length === 1 ? (found[0] ?? []) : found.flat();
  }

  const transactions: TransactionStore = {
    async load(uetrs) {
      await refresh();
      const used = inUse();
      const [one] = used;
      if (used.length === 1 && one !== undefined) return of(one[0]).load(uetrs);
      const loaded = await Promise.all(used.map(async ([build]) => [build, await of(build).load(uetrs)] as const));
      const found = new Map<string, TransactionDocument>();
      for (const [build, documents] of loaded) {
        for (const [uetr, document] of documents) if (buildOf(document.transaction.lane) === build) found.set(uetr, document);
      }
      return new Map(uetrs.flatMap((uetr) => (found.has(uetr) ? [[uetr, found.get(uetr)!] as const] : [])));
    },
    async write(writes) {
      await refresh();
      const byBuild = [...Map.groupBy(writes, ({ document }) => buildOf(document.transaction.lane))];
      if (byBuild.length === 0) return { conflicts: [] };
      const answers = await Promise.all(byBuild.map(([build, own]) => of(build).write(own)));
      return { conflicts: answers.flatMap(({ conflicts }) => conflicts).toSorted(byText) };
    },
    async open(lane, afterUetr, limit) {
      await refresh();
      return of(buildOf(lane)).open(lane, afterUetr, limit);
    },
    async held(lane, bank, day, afterQueueKey, limit) {
      await refresh();
      return of(buildOf(lane)).held(lane, bank, day, afterQueueKey, limit);
    },
    async accounted(lane, day, afterUetr, limit) {
      await refresh();
      return of(buildOf(lane)).accounted(lane, day, afterUetr, limit);
    },
    ...forPeople(ofEach),
  };
  return {
    transactions,
    learn(lane) {
      isOwner = true;
      learn(lane);
    },
  };
}

type OfEach = <T>(read: (build: BuildTransactions, lanes: LaneChoice) => Promise<readonly T[]>) => Promise<readonly T[]>;

function forPeople(ofEach: OfEach): Pick<TransactionStore, "identified" | "items" | "search" | "totals"> {
  return {
    async identified(sender, messageIdentification, limit) {
      const found = await ofEach((build, lanes) => build.identified(lanes, sender, messageIdentification, limit));
      return found.toSorted(byText).slice(0, limit);
    },
    async items(day, afterUetr, limit) {
      const found = await ofEach((build, lanes) => build.items(lanes, day, afterUetr, limit));
      const pages = [...Map.groupBy(found, ({ uetr }) => uetr)].toSorted(([a], [b]) => byText(a, b));
      return pages.slice(0, limit).flatMap(([, items]) => items);
    },
    async search(query, afterUetr, limit) {
      const found = await ofEach((build, lanes) => build.search(lanes, query, afterUetr, limit));
      return found.toSorted((a, b) => byText(a.uetr, b.uetr)).slice(0, limit);
    },
    async totals(query) {
      return together(await ofEach((build, lanes) => build.totals(lanes, query)));
    },
  };
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** One row a group, where several builds answered. */
function together(rows: readonly TotalsRow[]): readonly TotalsRow[] {
  const groups = new Map<string, TotalsRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.bank, row.scheme, row.businessDate, row.currency, row.flow, row.state]);
    const so = groups.get(key);
    groups.set(key, {
      ...row,
      count: row.count + (so?.count ?? 0),
      sumTenThousandths: row.sumTenThousandths + (so?.sumTenThousandths ?? 0n),
      oldestReceivedAtMs: Math.min(row.oldestReceivedAtMs, so?.oldestReceivedAtMs ?? Infinity),
    });
  }
  return [...groups.values()];
}
