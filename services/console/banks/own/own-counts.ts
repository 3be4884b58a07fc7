// Counts what a bank sent for the business dates of today, by state.
//
// #1 A count is made when somebody asks for the bank, partition by partition, and is kept (`kept-count.ts`). There is
//    at most one for each configured bank.

import type { Configuration } from "@sluice/config";
import type { Time } from "@sluice/kernel";
import type { Store, TotalsRow } from "@sluice/store";
import { createKeptCount, type KeptCount } from "../../outlook/kept-count.ts";
import { dateInZone } from "../../outlook/show-me.ts";
import { formatAmount } from "../../views/control-values.ts";

interface OwnCountsPorts {
  readonly time: Time;
  readonly store: Pick<Store, "transactions">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly partitionCount: number;
  readonly brokerNowMs: () => number | null;
}

export interface OwnCount {
  readonly rows: readonly TotalsRow[];
  readonly countedAtMs: number | null;
}

/** `bank` is a configured one. */
export function createOwnCounts(ports: OwnCountsPorts): (bank: string) => Promise<OwnCount | null> {
  const counts = new Map<string, KeptCount<OwnCount>>();
  return (bank) => {
    const kept = counts.get(bank) ?? createKeptCount(ports.time, () => countSent(ports, bank));
    counts.set(bank, kept);
    return kept.readSoon();
  };
}

async function countSent({ store, configuration, partitionCount, brokerNowMs }: OwnCountsPorts, sender: string): Promise<OwnCount> {
  const countedAtMs = brokerNowMs();
  if (countedAtMs === null) return { rows: [], countedAtMs };
  const rows: TotalsRow[] = [];
  for (const { id, times } of configuration.schemes) {
    const businessDate = dateInZone(times.calendar.zone, countedAtMs);
    for (let partition = 0; partition < partitionCount; partition += 1)
      rows.push(...(await store.transactions.totals({ partition, scheme: id, businessDate, sender })));
  }
  return { rows, countedAtMs };
}

/** By scheme, date, state and currency. */
export function ownCountsView(rows: readonly TotalsRow[]) {
  const received = rows.flatMap(({ scheme, businessDate, currency, ...row }) =>
    scheme === null || businessDate === null || currency === null ? [] : [{ ...row, scheme, businessDate, currency }],
  );
  const groups = Map.groupBy(received, (row) => `${row.businessDate} ${row.scheme} ${row.state} ${row.currency}`);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same;
      if (first === undefined) return [];
      const { scheme, businessDate, state, currency } = first;
      const sum = same.reduce((total, one) => total + one.sumTenThousandths, 0n);
      const count = same.reduce((total, one) => total + one.count, 0);
      return [{ scheme, businessDate, state, currency, count, sum: formatAmount(sum, currency) }];
    });
}
