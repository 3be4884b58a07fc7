// Counts held debits by scheme, date and bank. They are read from the store page by page as a projection of keys; only
// the counts are kept.

import type { TransactionStore } from "@sluice/store";
import { openUpStore } from "../local/up-connections.ts";
import type { UpState } from "../local/up-state.ts";

export interface HeldOnDate {
  readonly scheme: string;
  readonly businessDate: string;
  /** Counts, sorted by bank id. */
  readonly banks: readonly { readonly bank: string; readonly count: number }[];
}

const pageRows = 10_000;

/** Counts by scheme and date, sorted. */
export async function countHeld(transactions: Pick<TransactionStore, "open">, partitionCount: number): Promise<readonly HeldOnDate[]> {
  const counts = new Map<string, Map<string, number>>();
  for (let partition = 0; partition < partitionCount; partition += 1) {
    let afterUetr: string | null = null;
    for (;;) {
      const page: Awaited<ReturnType<TransactionStore["open"]>> = await transactions.open(partition, afterUetr, pageRows);
      for (const row of page) {
        if (row.state !== "HELD" || row.businessDate === null) continue;
        const { scheme, businessDate, bank } = row;
        const day = `${scheme} ${businessDate}`;
        const banks = counts.get(day) ?? new Map<string, number>();
        banks.set(bank ?? "", (banks.get(bank ?? "") ?? 0) + 1);
        counts.set(day, banks);
      }
      if (page.length < pageRows) break;
      afterUetr = page.at(-1)?.uetr ?? null;
    }
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([day, banks]) => toHeldCount(day, banks));
}

function toHeldCount(day: string, banks: ReadonlyMap<string, number>): HeldOnDate {
  const [scheme = "", businessDate = ""] = day.split(" ");
  const inOrder = [...banks].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { scheme, businessDate, banks: inOrder.map(([bank, count]) => ({ bank, count })) };
}

export async function countHeldUp(up: UpState): Promise<readonly HeldOnDate[]> {
  await using opened = new AsyncDisposableStack();
  const store = await openUpStore(up, opened);
  return await countHeld(store.transactions, up.partitionCount);
}
