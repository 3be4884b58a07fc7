// The store of parked messages as the engine uses it: called for single messages, which share calls in bulk.
//
// #1 Inserts, loads and removals take the receivers in turn, so that no receiver has the store for itself, neither one
//    that goes down nor one that drains.
// #2 Each call is repeated until the store has acknowledged it, as long as the partition is open and its lease is
//    confirmed.

import type { ParkedMessage, ParkedStore } from "@sluice/store";
import { BulkCalls } from "./bulk-calls.ts";
import type { DeliveryLease } from "../partition/delivery-lease.ts";

export interface ParkedCalls {
  insert(lease: DeliveryLease, message: ParkedMessage): Promise<void>;
  update(lease: DeliveryLease, message: ParkedMessage): Promise<void>;
  /** Resolves with undefined where the store no longer has it. */
  load(lease: DeliveryLease, of: MessageKey): Promise<ParkedMessage | undefined>;
  remove(lease: DeliveryLease, of: MessageKey): Promise<void>;
}

type MessageKey = Pick<ParkedMessage, "id" | "receiverId">;

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
  return {
    insert: (lease, message) => lease.retryUntilDone("parked.insert", () => inserts.ask(message, () => lease.isConfirmed)),
    update: (lease, message) => lease.retryUntilDone("parked.update", () => store.update(message)),
    load: (lease, of) => lease.retryUntilDone("parked.load", () => loads.ask(of, () => lease.isConfirmed)),
    remove: (lease, of) => lease.retryUntilDone("parked.remove", () => removes.ask(of, () => lease.isConfirmed)),
  };
}
