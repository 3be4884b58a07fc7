// Counts the transactions of the business dates that may still grow, by bank and state: today of each scheme, and the
// days after it that are planned.
//
// #1 It reads every transaction of these dates. A store that has a million of them would not answer one such question
//    in time, so that it is asked date by date and partition by partition, a few at once, and nobody waits for it
//    (`kept-count.ts`).

import type { Configuration } from "@sluice/config";
import type { Time } from "@sluice/kernel";
import type { Store, TotalsRow } from "@sluice/store";
import { createKeptCount, type KeptCount } from "./kept-count.ts";
import { dateInZone } from "./show-me.ts";

interface DateTotalsPorts {
  readonly time: Time;
  readonly store: Pick<Store, "transactions" | "days">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly partitionCount: number;
  readonly brokerNowMs: () => number | null;
}

interface CountedDates {
  readonly rows: readonly TotalsRow[];
  /** Time of the log when the count began; null: it was not known, and nothing was counted. */
  readonly countedAtMs: number | null;
}

export type DateTotals = KeptCount<CountedDates>;

const atOnce = 2;

export function createDateTotals(ports: DateTotalsPorts): DateTotals {
  return createKeptCount(ports.time, () => countDates(ports));
}

async function countDates(ports: DateTotalsPorts): Promise<CountedDates> {
  const countedAtMs = ports.brokerNowMs();
  if (countedAtMs === null) return { rows: [], countedAtMs };
  const partitions = Array.from({ length: ports.partitionCount }, (_, partition) => partition);
  const rows: TotalsRow[] = [];
  for (const { scheme, businessDate } of await listDates(ports, countedAtMs))
    for (let first = 0; first < partitions.length; first += atOnce) {
      const asked = partitions.slice(first, first + atOnce);
      const found = await Promise.all(asked.map((partition) => ports.store.transactions.totals({ partition, scheme, businessDate })));
      rows.push(...found.flat());
    }
  return { rows, countedAtMs };
}

async function listDates({ store, configuration }: DateTotalsPorts, nowMs: number) {
  const today = new Map<string, string>(configuration.schemes.map(({ id, times }) => [id, dateInZone(times.calendar.zone, nowMs)]));
  const ahead = (await store.days.open()).map(({ plan: { scheme, businessDate } }) => ({ scheme, businessDate }));
  const all = [
    ...[...today].map(([scheme, businessDate]) => ({ scheme, businessDate })),
    ...ahead.filter(({ scheme, businessDate }) => businessDate > (today.get(scheme) ?? businessDate)),
  ];
  return all.toSorted((a, b) => (a.businessDate < b.businessDate ? -1 : 1));
}
