// The store of parked messages as the engine uses it: by single messages, in bulk underneath.
//
// #1 Messages are written down, read and removed of each bank in turn: no bank has the store for itself, neither one that goes down nor one
//    that drains.
// #2 Each call is made until the store has acknowledged it, as long as the lane is open and known to be ours.

import type { ParkedMessage, ParkedStore } from "@sluice/store";
import { BulkCalls } from "./bulk-calls.ts";
import type { Ownership } from "./ownership.ts";

export interface ParkedCalls {
  insert(ownership: Ownership, message: ParkedMessage): Promise<void>;
  update(ownership: Ownership, message: ParkedMessage): Promise<void>;
  /** Undefined where the store has it no more. */
  load(ownership: Ownership, of: OfBank): Promise<ParkedMessage | undefined>;
  remove(ownership: Ownership, of: OfBank): Promise<void>;
}

type OfBank = Pick<ParkedMessage, "id" | "bank">;

export function createParkedCalls(store: ParkedStore, messagesMax: number): ParkedCalls {
  const nothing = (): void => {};
  const bankOf = ({ bank }: OfBank): string => bank;
  const inserts = new BulkCalls<ParkedMessage, void>((messages) => store.insert(messages).then(() => nothing), messagesMax, bankOf);
  const removes = new BulkCalls<OfBank, void>((all) => store.remove(all.map(({ id }) => id)).then(() => nothing), messagesMax, bankOf);
  const loads = new BulkCalls<OfBank, ParkedMessage | undefined>(
    (all) =>
      store.load([...new Set(all.map(({ id }) => id))]).then(
        (found) =>
          ({ id }) =>
            found.get(id),
      ),
    messagesMax,
    bankOf,
  );
  return {
    insert: (ownership, message) => ownership.untilDone("parked.insert", () => inserts.ask(message, () => ownership.isKnown)),
    update: (ownership, message) => ownership.untilDone("parked.update", () => store.update(message)),
    load: (ownership, of) => ownership.untilDone("parked.load", () => loads.ask(of, () => ownership.isKnown)),
    remove: (ownership, of) => ownership.untilDone("parked.remove", () => removes.ask(of, () => ownership.isKnown)),
  };
}
