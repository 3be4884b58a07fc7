import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openBank } from "./example/bank.ts";
import { utf8, eventWebhookId, eventBody, symmetricSigner, signedUetr } from "./signature/signed.fixture.ts";
import type { Inbox } from "./inbox.ts";
import { createMemoryInbox } from "./memory-inbox.ts";
import { readMessage, type Message } from "./message.ts";

interface Opened {
  readonly inbox: Inbox;
  /** Ids whose effect was stored. */
  readonly effects: () => readonly string[];
  /** Makes the next effect fail. */
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

/** The example's inbox, in a database on disk. A trigger makes its effect fail in the middle of the transaction. */
async function inSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-receiver-"));
  const ports = { fetch: () => Promise.reject(new Error("not asked")), consoleUrl: "", token: "" };
  const bank = await openBank({ ...ports, databaseFile: join(folder, "bank.db"), signingKeys: [symmetricSigner(1).key] });
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
  const read = readMessage({ webhookId: eventWebhookId(sequence), headers: {}, path: "/events", body: utf8(eventBody(sequence)) });
  if (!read.ok) throw new Error(read.reason);
  return read.message;
}

describe.each([
  ["in memory", inMemory],
  ["of the example, in SQLite", inSqlite],
])("an inbox %s", (_where, open) => {
  test("I4: a message has its effect once, however often it comes", async () => {
    const { inbox, effects } = await open();
    expect(await inbox.take(event(1))).toBe("first");
    expect(await inbox.take(event(1))).toBe("repeat");
    expect(await inbox.take(event(2))).toBe("first");
    expect(effects()).toEqual([eventWebhookId(1), eventWebhookId(2)]);
  });

  test("of many at the same time exactly one is the first", async () => {
    const { inbox, effects } = await open();
    const taken = await Promise.all(Array.from({ length: 10 }, async () => inbox.take(event(1))));
    expect(taken.filter((one) => one === "first")).toHaveLength(1);
    expect(effects()).toEqual([eventWebhookId(1)]);
  });

  test("a message whose effect failed is not claimed: its repeat is the first, even one that was already waiting", async () => {
    const { inbox, effects, breakNext } = await open();
    breakNext();
    await expect(inbox.take(event(1))).rejects.toThrow("no disk");
    expect(effects()).toEqual([]);
    breakNext();
    const [broken, ...others] = await Promise.allSettled([inbox.take(event(1)), inbox.take(event(1)), inbox.take(event(1))]);
    expect(broken.status).toBe("rejected");
    expect(new Set(others.map((one) => (one.status === "fulfilled" ? one.value : "rejected")))).toEqual(new Set(["first", "repeat"]));
    expect(effects()).toEqual([eventWebhookId(1)]);
  });
});

test("the memory inbox forgets the oldest ids beyond its bound", async () => {
  let effects = 0;
  const inbox = createMemoryInbox({ idsMax: 2, effect: () => void (effects += 1) });
  for (const sequence of [1, 2, 3]) await inbox.take(event(sequence));
  expect([await inbox.take(event(3)), await inbox.take(event(2)), await inbox.take(event(1))]).toEqual(["repeat", "repeat", "first"]);
  expect(effects).toBe(4);
  expect(event(1).uetr).toBe(signedUetr);
});
