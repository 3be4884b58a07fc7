// What a listener shows, and that its address answers in the bank's place.

import { createServer } from "node:http";
import { createReceiver, createMemoryInbox, nodeListener, readKeys } from "@sluice/receiver";
import { once } from "node:events";
import { machineTime } from "@sluice/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { sandboxClient } from "./client.ts";
import { sandboxBank } from "./configuration.ts";
import { runListener } from "./listener.ts";
import { openSandbox } from "./sandbox.fixture.ts";

const within = { timeout: 60_000 };
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** A bank on a port, as banks build it with the receiver; it fails as often as `failures` says. */
async function openBank(failures: number): Promise<{ readonly url: string; readonly stored: string[] }> {
  const keys = await readKeys([sandboxBank.signingSecret]);
  if (!keys.ok) throw new Error(keys.reason);
  const stored: string[] = [];
  const effect = (message: { readonly path: string | null }): Promise<void> => Promise.resolve(void stored.push(message.path ?? ""));
  const inbox = createMemoryInbox({ idsMax: 1_000, effect });
  const receive = createReceiver({ keys: keys.keys, inbox, nowMs: () => machineTime.nowMs() });
  let left = failures;
  const server = createServer(nodeListener(async (request) => (left-- > 0 ? new Response(null, { status: 503 }) : await receive(request))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push(
    () => new Promise((closed) => server.close(closed)),
    () => server.closeAllConnections(),
  );
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`, stored };
}

async function listenTo(controlUrl: string, forwardTo: string | null, forwarding: "all" | "events" = "all") {
  const lines: string[] = [];
  const stopping = new AbortController();
  const sandbox = sandboxClient(controlUrl);
  const { promise: listened, resolve: listening } = Promise.withResolvers<void>();
  const out = (line: string): void => void lines.push(line);
  const ended = runListener({ sandbox, forwardTo, forwarding, isJson: false, out, listening, signal: stopping.signal });
  opened.push(async () => {
    stopping.abort();
    await ended;
  });
  await listened;
  return lines;
}

test("a listener without an address shows each post and how the sandbox answered it", async () => {
  const sandbox = await openSandbox();
  opened.push(() => sandbox[Symbol.asyncDispose]());
  const lines = await listenTo(sandbox.controlUrl, null);
  const uetr = await sandbox.trigger("credit");
  await vi.waitFor(() => expect(lines.join("\n")).toContain(`/inbound/credit-transfer-authorisation ${uetr} → 202 (sandbox)`), within);
  await vi.waitFor(() => expect(lines.join("\n")).toMatch(/\/events CREDIT_AUTH_RECEIVED [0-9a-f-]{36} → 202 \(sandbox\)/), within);
}, 300_000);

test("a listener with an address has it answer: signatures fit there, and Sluice tries again after its 503", async () => {
  const sandbox = await openSandbox();
  opened.push(() => sandbox[Symbol.asyncDispose]());
  const bank = await openBank(1);
  const lines = await listenTo(sandbox.controlUrl, bank.url);
  const uetr = await sandbox.trigger("account-ac02");
  await vi.waitFor(() => expect(bank.stored).toContain("/outbound/direct-debit-response"), within);
  await sandbox.until(uetr, "REJECTION_REPORTED");
  expect(lines.filter((line) => line.includes("→ 503 (listener"))).toHaveLength(1);
  expect(lines.join("\n")).toMatch(/→ 202 \(listener, \d+ ms\)/);
}, 300_000);

test("with --events alone the sandbox answers what is no event", async () => {
  const sandbox = await openSandbox();
  opened.push(() => sandbox[Symbol.asyncDispose]());
  const bank = await openBank(0);
  const lines = await listenTo(sandbox.controlUrl, bank.url, "events");
  const uetr = await sandbox.trigger("account-ac02");
  await sandbox.until(uetr, "REJECTION_REPORTED");
  await vi.waitFor(() => expect(bank.stored.length).toBeGreaterThan(1), within);
  expect(new Set(bank.stored)).toEqual(new Set(["/events"]));
  await vi.waitFor(() => expect(lines.join("\n")).toContain("/outbound/direct-debit-response"), within);
}, 300_000);
