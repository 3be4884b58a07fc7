// The parked messages of some delivery keys, read in one call and handed out by receiver and key.

import type { ParkedMessage, ParkedRow, ParkedStore } from "@sluice/store";

export type ParkedKey = Pick<ParkedMessage, "deliveryKey" | "receiverId">;

/** Messages that one call returns for its keys; where there are more, each half of the keys is asked for. */
const keyRowsMax = 10_000;

export async function listKeys(store: ParkedStore, deliveryKeys: readonly string[]): Promise<readonly ParkedRow[]> {
  const rows = await store.listByKeys(deliveryKeys, keyRowsMax);
  if (rows.length < keyRowsMax || deliveryKeys.length < 2) return rows;
  const middle = Math.ceil(deliveryKeys.length / 2);
  return [...(await listKeys(store, deliveryKeys.slice(0, middle))), ...(await listKeys(store, deliveryKeys.slice(middle)))];
}

export function groupByKey(rows: readonly ParkedRow[]): (of: ParkedKey) => readonly ParkedRow[] {
  const groups = new Map<string, ParkedRow[]>();
  for (const row of rows) {
    const key = `${row.receiverId} ${row.deliveryKey}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return ({ receiverId, deliveryKey }) => groups.get(`${receiverId} ${deliveryKey}`) ?? [];
}
