// The held debits of a partition: one page for each (bank, business day).

import type { DayKey } from "@sluice/domain";
import type { TransactionStore } from "@sluice/store";
import { createQueuePage, type QueuePage, queuePageKeysMax } from "./queue-page.ts";

export interface HeldGroup {
  readonly bank: string;
  readonly day: DayKey;
  readonly page: QueuePage;
}

export interface HeldQueue {
  insert(bank: string, day: DayKey, queueKey: string): void;
  remove(bank: string, day: DayKey, queueKey: string): void;
  /** Lists the groups with held debits, by day, then bank. */
  listGroups(): readonly HeldGroup[];
  /** Reads the store if the page is cut and runs low. */
  refill(group: HeldGroup): Promise<void>;
}

/** A cut page with fewer keys is refilled. */
const lowPageKeys = 1_000;

export function createHeldQueue(partition: number, store: Pick<TransactionStore, "held">, keysMax: number = queuePageKeysMax): HeldQueue {
  const groups = new Map<string, HeldGroup>();

  function isEmpty({ page }: HeldGroup): boolean {
    return page.count === 0 && page.completeTo === null && !page.isRefilling;
  }

  return {
    insert(bank, day, queueKey) {
      const id = `${day} ${bank}`;
      const group = groups.get(id) ?? { bank, day, page: createQueuePage(keysMax) };
      groups.set(id, group);
      group.page.insert(queueKey);
    },
    remove(bank, day, queueKey) {
      const id = `${day} ${bank}`;
      const group = groups.get(id);
      group?.page.remove(queueKey);
      if (group !== undefined && isEmpty(group)) groups.delete(id);
    },
    listGroups: () => [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group),
    async refill({ bank, day, page }) {
      if (page.completeTo === null || page.isRefilling || page.count >= Math.min(lowPageKeys, keysMax / 2)) return;
      const limit = keysMax - page.count;
      page.startRefill();
      try {
        const rows = await store.held(partition, bank, day, page.completeTo, limit);
        const queueKeys = rows.map((row) => row.queueKey);
        page.finishRefill(queueKeys, rows.length === limit);
      } catch (error) {
        page.abandonRefill();
        throw error;
      }
    },
  };
}
