// Sums up what receivers have not acknowledged: one row for each receiver, and all of them together.

import type { loadUndelivered } from "../queries/list-undelivered.ts";

type Row = Awaited<ReturnType<typeof loadUndelivered>>["rows"][number];

export function sumReceivers(rows: readonly Row[]) {
  const receivers = [...Map.groupBy(rows, ({ bank }) => bank)].flatMap(([bank, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const { state, why } = first;
    return [{ bank, state, why, ...sumRows(own), closes: earliest(own.map(({ closes }) => closes)) }];
  });
  return { ...sumRows(rows), receivers };
}

function sumRows(rows: readonly Row[]) {
  const all = rows.flatMap(({ deliveries, postings }) => [deliveries, postings]);
  return {
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    refused: all.reduce((sum, { refused }) => sum + refused, 0),
    oldestSince: earliest(all.map(({ oldestSince }) => oldestSince)),
  };
}

/** Times as texts of one form sort like times. */
function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).toSorted()[0] ?? null;
}
