// The store of parked messages as the engine uses it: by single messages, in bulk underneath.
//
// #1 Messages are written down of each bank in turn: no bank has the store for itself.
// #2 Each call is made until the store has acknowledged it, as long as the lane is open and known to be ours.

import type { ParkedMessage, ParkedStore } from "@sluice/store";
import { BulkCalls } from "./bulk-calls.ts";
import type { Ownership } from "./ownership.ts";

export interface ParkedCalls {
  insert(ownership: Ownership, message: ParkedMessage): Promise<void>;
  update(ownership: Ownership, message: ParkedMessage): Promise<void>;
  /** Undefined where the store has it no more. */
  load(ownership: Ownership, id: string): Promise<ParkedMessage | undefined>;
  remove(ownership: Ownership, id: string): Promise<void>;
}

export function createParkedCalls(store: ParkedStore, messagesMax: number): ParkedCalls {
  const nothing = (): void => {};
  const inserts = new BulkCalls<ParkedMessage, void>(
    (messages) => store.insert(messages).then(() => nothing),
    messagesMax,
    ({ bank }) => bank,
  );
  const removes = new BulkCalls<string, void>((ids) => store.remove(ids).then(() => nothing), messagesMax);
  const loads = new BulkCalls<string, ParkedMessage | undefined>(
    (ids) => store.load([...new Set(ids)]).then((found) => (id: string) => found.get(id)),
    messagesMax,
  );
  return {
    insert: (ownership, message) => ownership.untilDone("parked.insert", () => inserts.ask(message, () => ownership.isKnown)),
    update: (ownership, message) => ownership.untilDone("parked.update", () => store.update(message)),
    load: (ownership, id) => ownership.untilDone("parked.load", () => loads.ask(id, () => ownership.isKnown)),
    remove: (ownership, id) => ownership.untilDone("parked.remove", () => removes.ask(id, () => ownership.isKnown)),
  };
}
