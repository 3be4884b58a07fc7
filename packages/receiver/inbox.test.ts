import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openBank } from "./example/bank.ts";
import { bytes, eventId, eventText, symmetric, uetr } from "./given-signed.ts";
import type { Inbox } from "./inbox.ts";
import { createMemoryInbox } from "./memory-inbox.ts";
import { readMessage, type Message } from "./message.ts";

interface Opened {
  readonly inbox: Inbox;
  /** Ids whose effect is there. */
  readonly effects: () => readonly string[];
  /** The next effect does not come about. */
  readonly breakNext: () => void;
}

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

function inMemory(): Promise<Opened> {
  const effects: string[] = [];
  let isBroken = false;
  const effect = async ({ webhookId }: Message): Promise<void> => {
    await Promise.resolve();
    const isToBreak = isBroken;
    isBroken = false;
    if (isToBreak) throw new Error("no disk");
    effects.push(webhookId);
  };
  const inbox = createMemoryInbox({ idsMax: 100, effect });
  return Promise.resolve({ inbox, effects: () => effects, breakNext: () => (isBroken = true) });
}

/** The example's, in a database on disk. Its effect breaks on a trigger, in the middle of the transaction. */
async function inSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-receiver-"));
  const ports = { fetch: () => Promise.reject(new Error("not asked")), consoleUrl: "", token: "" };
  const bank = await openBank({ ...ports, databaseFile: join(folder, "bank.db"), signingKeys: [symmetric(1).key] });
  closing.push(() => {
    bank.database.close();
    rmSync(folder, { recursive: true });
  });
  const take: Inbox["take"] = (message) => {
    try {
      return bank.take(message);
    } finally {
      bank.database.exec("DROP TRIGGER IF EXISTS broken");
    }
  };
  return {
    inbox: { take: async (message) => take(message) },
    effects: () =>
      bank.database
        .prepare("SELECT webhook_id FROM event ORDER BY rowid")
        .all()
        .map((row) => String(row["webhook_id"])),
    breakNext: () => bank.database.exec("CREATE TRIGGER broken BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'no disk'); END"),
  };
}

function event(sequence: number): Message {
  const read = readMessage({ webhookId: eventId(sequence), headers: {}, path: "/events", body: bytes(eventText(sequence)) });
  if (!read.ok) throw new Error(read.reason);
  return read.message;
}

describe.each([
  ["in memory", inMemory],
  ["of the example, in SQLite", inSqlite],
])("an inbox %s", (_where, open) => {
  test("I4: a message has its effect once, whatever comes again", async () => {
    const { inbox, effects } = await open();
    expect(await inbox.take(event(1))).toBe("first");
    expect(await inbox.take(event(1))).toBe("repeat");
    expect(await inbox.take(event(2))).toBe("first");
    expect(effects()).toEqual([eventId(1), eventId(2)]);
  });

  test("of many at the same time one is the first", async () => {
    const { inbox, effects } = await open();
    const taken = await Promise.all(Array.from({ length: 10 }, async () => inbox.take(event(1))));
    expect(taken.filter((one) => one === "first")).toHaveLength(1);
    expect(effects()).toEqual([eventId(1)]);
  });

  test("what failed is not claimed: the repeat is the first, also one that waited beside it", async () => {
    const { inbox, effects, breakNext } = await open();
    breakNext();
    await expect(inbox.take(event(1))).rejects.toThrow("no disk");
    expect(effects()).toEqual([]);
    breakNext();
    const [broken, ...others] = await Promise.allSettled([inbox.take(event(1)), inbox.take(event(1)), inbox.take(event(1))]);
    expect(broken.status).toBe("rejected");
    expect(new Set(others.map((one) => (one.status === "fulfilled" ? one.value : "rejected")))).toEqual(new Set(["first", "repeat"]));
    expect(effects()).toEqual([eventId(1)]);
  });
});

test("the inbox in memory forgets the oldest ids beyond its bound", async () => {
  let effects = 0;
  const inbox = createMemoryInbox({ idsMax: 2, effect: () => void (effects += 1) });
  for (const sequence of [1, 2, 3]) await inbox.take(event(sequence));
  expect([await inbox.take(event(3)), await inbox.take(event(2)), await inbox.take(event(1))]).toEqual(["repeat", "repeat", "first"]);
  expect(effects).toBe(4);
  expect(event(1).uetr).toBe(uetr);
});
