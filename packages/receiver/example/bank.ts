// A bank that takes Sluice's postings: verified, stored once and durably, and whole.

import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { catchUp, createReceiver, readProgress, nodeListener, readKeys, type AskPorts, type Message, type InboxResult } from "../index.ts";

export interface BankSettings extends AskPorts {
  readonly databaseFile: string;
  /** `whsec_…` or `whpk_…`; two while one replaces the other. */
  readonly signingKeys: readonly string[];
}

export async function openBank(settings: BankSettings) {
  const database = new DatabaseSync(settings.databaseFile);
  database.exec(`
    CREATE TABLE IF NOT EXISTS inbox (webhook_id TEXT PRIMARY KEY, path TEXT, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS event (uetr TEXT, sequence INTEGER, webhook_id TEXT, PRIMARY KEY (uetr, sequence));
  `);
  const claim = database.prepare("INSERT INTO inbox VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const keep = database.prepare("INSERT INTO event VALUES (?, ?, ?)");
  const gaps = database.prepare("SELECT uetr FROM event GROUP BY uetr HAVING count(*) < max(sequence)");
  const places = database.prepare("SELECT sequence FROM event WHERE uetr = ?");

  // The claim and what the bank does with the message are one transaction: both are there after a crash, or neither.
  function take({ webhookId, uetr, sequence, path, body }: Message): InboxResult {
    database.exec("BEGIN IMMEDIATE");
    try {
      const isFirst = claim.run(webhookId, path, body).changes === 1;
      if (isFirst && sequence !== null) keep.run(uetr, sequence, webhookId); // Here, too: what the bank does with it.
      database.exec("COMMIT");
      return isFirst ? "first" : "repeat";
    } catch (error) {
      database.exec("ROLLBACK");
      throw error; // Answered 500: Sluice sends it again.
    }
  }

  const read = await readKeys(settings.signingKeys);
  if (!read.ok) throw new Error(`signing key ${read.number}: ${read.reason}`);
  const receiver = createReceiver({ keys: read.keys, inbox: { take }, nowMs: Date.now });
  return {
    server: createServer(nodeListener(receiver)),
    database,
    take,
    /** Asks for what is missing between two events: at the start, and every minute. */
    async fillGaps() {
      for (const { uetr } of gaps.all()) await this.complete(String(uetr));
    },
    /** After it the bank has every event of the transaction that there is; "later": ask again. */
    complete(uetr: string) {
      const { upTo } = readProgress(places.all(uetr).map(({ sequence }) => Number(sequence)));
      return catchUp(settings, { take }, uetr, upTo + 1);
    },
  };
}
