// The inbox: the port that a bank implements, where each message becomes durable once.
//
// #1 In ONE transaction: claim the `webhookId` (a unique column), and only where it is new, do the bank's own effect;
//    then commit. After a crash either both are there, or neither, and the repeat does both.
// #2 It resolves after the commit. Only then is 202 answered, and only after 202 does Sluice stop sending.
// #3 Two calls with the same id at the same time: one is "first". The other waits for it and is "repeat", or "first" if
//    that one failed.
// #4 It rejects where nothing was stored. The claim is then gone with the transaction, and the repeat is "first" again.
//
// In SQL: `BEGIN; INSERT INTO inbox (webhook_id) VALUES ($1) ON CONFLICT DO NOTHING;` No row: `ROLLBACK`, "repeat". One
// row: the bank's own writes in the same transaction, `COMMIT`, "first". The unique index makes the second of two wait
// (#3).

import type { Message } from "./message.ts";

export type InboxResult = "first" | "repeat";

export interface Inbox {
  take(message: Message): InboxResult | Promise<InboxResult>;
}
