// The store of parked messages as the engine uses it: called for single messages, which share calls in bulk.
//
// #1 Inserts, loads and removals take the receivers in turn, so that no receiver has the store for itself, neither one
//    that goes down nor one that drains.
// #2 Each call is repeated until the store has acknowledged it, as long as the partition is open and its lease is
//    confirmed.

import type { ParkedMessage, ParkedRow, ParkedStore } from "@sluice/store";
import { BulkCalls } from "./bulk-calls.ts";
import type { DeliveryLease } from "../partition/delivery-lease.ts";

export interface ParkedCalls {
  insert(lease: DeliveryLease, message: ParkedMessage): Promise<void>;
  update(lease: DeliveryLease, message: ParkedMessage): Promise<void>;
  /** Resolves with undefined where the store no longer has it. */
  load(lease: DeliveryLease, of: MessageKey): Promise<ParkedMessage | undefined>;
  remove(lease: DeliveryLease, of: MessageKey): Promise<void>;
  /** Lists what is parked for a receiver under a key, oldest first, with what has ended. */
  listKey(lease: DeliveryLease, of: ParkedKey): Promise<readonly ParkedRow[]>;
}

type MessageKey = Pick<ParkedMessage, "id" | "receiverId">;
type ParkedKey = Pick<ParkedMessage, "deliveryKey" | "receiverId">;

export function createParkedCalls(store: ParkedStore, messagesMax: number): ParkedCalls {
  const nothing = (): void => {};
  const receiverIdFor = ({ receiverId }: MessageKey): string => receiverId;
  const inserts = new BulkCalls<ParkedMessage, void>((messages) => store.insert(messages).then(() => nothing), messagesMax, receiverIdFor);
  const removes = new BulkCalls<MessageKey, void>(
    (all) => store.remove(all.map(({ id }) => id)).then(() => nothing),
    messagesMax,
    receiverIdFor,
  );
  const loads = new BulkCalls<MessageKey, ParkedMessage | undefined>(
    (all) =>
      store.load([...new Set(all.map(({ id }) => id))]).then(
        (found) =>
          ({ id }) =>
            found.get(id),
      ),
    messagesMax,
    receiverIdFor,
  );
  const keys = new BulkCalls<ParkedKey, readonly ParkedRow[]>(
    (all) => listKeys(store, [...new Set(all.map(({ deliveryKey }) => deliveryKey))]).then(groupByKey),
    messagesMax,
    ({ receiverId }) => receiverId,
  );
  return {
    insert: (lease, message) => lease.retryUntilDone("parked.insert", () => inserts.ask(message, () => lease.isConfirmed)),
    update: (lease, message) => lease.retryUntilDone("parked.update", () => store.update(message)),
    load: (lease, of) => lease.retryUntilDone("parked.load", () => loads.ask(of, () => lease.isConfirmed)),
    remove: (lease, of) => lease.retryUntilDone("parked.remove", () => removes.ask(of, () => lease.isConfirmed)),
    listKey: (lease, of) => lease.retryUntilDone("parked.list-key", () => keys.ask(of, () => lease.isConfirmed)),
  };
}

/** Messages that one call returns for its keys; where there are more, each half of the keys is asked for. */
const keyRowsMax = 10_000;

async function listKeys(store: ParkedStore, deliveryKeys: readonly string[]): Promise<readonly ParkedRow[]> {
  const rows = await store.listByKeys(deliveryKeys, keyRowsMax);
  if (rows.length < keyRowsMax || deliveryKeys.length < 2) return rows;
  const middle = Math.ceil(deliveryKeys.length / 2);
  return [...(await listKeys(store, deliveryKeys.slice(0, middle))), ...(await listKeys(store, deliveryKeys.slice(middle)))];
}

function groupByKey(rows: readonly ParkedRow[]): (of: ParkedKey) => readonly ParkedRow[] {
  const groups = new Map<string, ParkedRow[]>();
  for (const row of rows) {
    const key = `${row.receiverId} ${row.deliveryKey}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return ({ receiverId, deliveryKey }) => groups.get(`${receiverId} ${deliveryKey}`) ?? [];
}
