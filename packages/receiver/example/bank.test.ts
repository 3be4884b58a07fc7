import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  utf8,
  ed25519Signer,
  eventWebhookId,
  eventBody,
  signedHeaders,
  placeHeaders,
  symmetricSigner,
  signedUetr,
  type TestSigner,
} from "../signature/signed.fixture.ts";
import { proveComplete } from "../index.ts";
import { openBank } from "./bank.ts";

type Bank = Awaited<ReturnType<typeof openBank>>;

const token = "the bank's own";
const [old, next] = [symmetricSigner(1), ed25519Signer()];
const closing: (() => Promise<unknown> | void)[] = [];
let bank: Bank;
let bankUrl: string;
/** The number of events that Sluice has of each transaction. */
let newest: number;

beforeEach(async () => {
  newest = 0;
  const consoleUrl = await listening(createServer(asConsole));
  bank = await openBank({ fetch, consoleUrl, token, databaseFile: ":memory:", signingKeys: [old.key, next.key] });
  bankUrl = await listening(bank.server);
  closing.push(() => bank.database.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

describe("the example bank", () => {
  test("has at most 60 lines, and docs/receiving.md shows it word for word", () => {
    const text = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
    const example = text("bank.ts");
    expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
    expect(text("../../../docs/receiving.md")).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  });

  test("I4: notices missed postings, asks for them, and ends with every event exactly once", async () => {
    newest = 7;
    for (const sequence of [1, 2, 5, 2, 7]) expect(await post(sequence)).toBe(202);
    expect(proof()).toEqual({ kind: "gaps", missing: [3, 4, 6], askFrom: 3 });
    await bank.fillGaps();
    expect(proof()).toEqual({ kind: "complete", upTo: 7 });
    // A posting that arrives late is a repeat.
    for (const sequence of [3, 4, 6]) expect(await post(sequence)).toBe(202);
    expect(bank.database.prepare("SELECT count(*) AS bodies FROM inbox").get()).toEqual({ bodies: 7 });
    expect(await bank.complete(signedUetr)).toEqual({ kind: "all", firsts: 0 });
  });

  test("gets missing events at the end, too, where no later one shows the gap", async () => {
    newest = 4;
    expect(await post(1)).toBe(202);
    await bank.fillGaps();
    expect(proof()).toEqual({ kind: "complete", upTo: 1 });
    expect(await bank.complete(signedUetr)).toEqual({ kind: "all", firsts: 3 });
    expect(proof()).toEqual({ kind: "complete", upTo: 4 });
  });

  test("accepts either key while one replaces the other, and no other signature", async () => {
    newest = 3;
    expect([await post(1, old), await post(2, next), await post(3, symmetricSigner(9))]).toEqual([202, 202, 401]);
    expect(proof()).toEqual({ kind: "complete", upTo: 2 });
  });

  test("answers 500 while it cannot write, and stores the repeat", async () => {
    bank.database.exec("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    expect(await post(1)).toBe(500);
    bank.database.exec("DROP TRIGGER full");
    expect(await post(1)).toBe(202);
    expect(proof()).toEqual({ kind: "complete", upTo: 1 });
  });
});

async function post(sequence: number, signer: TestSigner = old): Promise<number> {
  const body = utf8(eventBody(sequence));
  const signed = signedHeaders({ webhookId: eventWebhookId(sequence), atMs: Date.now(), body }, [signer]);
  const answer = await fetch(`${bankUrl}/events`, { method: "POST", headers: { ...signed, ...placeHeaders(sequence) }, body });
  return answer.status;
}

function proof(): ReturnType<typeof proveComplete> {
  const rows = bank.database.prepare("SELECT sequence, webhook_id FROM event WHERE uetr = ?").all(signedUetr);
  return proveComplete(rows.map((row) => ({ sequence: Number(row["sequence"]), webhookId: String(row["webhook_id"]), previousId: null })));
}

/** Sluice's console, with two events a page. */
const asConsole: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://console");
  if (request.headers.authorization !== `Bearer ${token}` || pathname !== `/transactions/${signedUetr}/events`) {
    response.writeHead(404).end("{}");
    return;
  }
  const from = Number(searchParams.get("from"));
  const sequences = Array.from({ length: newest }, (_, index) => index + 1).filter((sequence) => sequence >= from);
  const given = sequences.slice(0, 2);
  const events = given.map((sequence) => eventBody(sequence)).join(",");
  const webhookIds = JSON.stringify(given.map(eventWebhookId));
  response.end(
    `{"schema":"TransactionEvents","uetr":"${signedUetr}","events":[${events}],"webhookIds":${webhookIds},"next":${sequences[2] ?? null}}`,
  );
};

async function listening(server: Bank["server"]): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
