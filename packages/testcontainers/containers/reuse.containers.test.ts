// What an earlier run left is used again, and nothing that differs from it.

import { randomUUID } from "node:crypto";
import { getContainerRuntimeClient } from "testcontainers";
import { afterAll, expect, test } from "vitest";
import { bankSecret, ExampleBank } from "../example/bank.fixture.ts";
import { type RunningSluice, SluiceEnvironment } from "../index.ts";

/** A port of this machine at which nobody has to listen. */
const bankUrl = "http://127.0.0.1:9";
const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** What one run of a suite does. */
async function runOnce(answerTimeout: string): Promise<RunningSluice> {
  await using sluice = await new SluiceEnvironment().withBank("kept", { url: bankUrl, members: { answerTimeout } }).withReuse().start();
  return sluice;
}

test("a second run finds the Sluice of the first where it was, with its tokens and its clock; another configuration starts another", async () => {
  const first = await runOnce("1s");
  opened.defer(() => first.stop());
  await first.advance("24h");
  const startedMs = performance.now();
  const second = await runOnce("1s");
  console.info(`used again after ${Math.round(performance.now() - startedMs)} ms`);
  expect([second.url, second.token("kept"), second.operatorToken]).toEqual([first.url, first.token("kept"), first.operatorToken]);
  expect(second.businessDate > first.businessDate).toBe(true);
  const other = await runOnce("2s");
  opened.defer(() => other.stop());
  expect(other.url).not.toBe(first.url);
});

test("a Sluice that was stopped is not used again", async () => {
  const stopped = await runOnce("3s");
  await stopped.stop();
  const client = await getContainerRuntimeClient();
  const kept = await client.container.list();
  expect(kept.flatMap(({ Ports }) => Ports.map(({ PublicPort }) => PublicPort))).not.toContain(Number(new URL(stopped.url).port));
});

test("I1: a Sluice that is kept reaches a bank that listens at all addresses of this machine", async () => {
  await using bank = await ExampleBank.open("0.0.0.0");
  const environment = new SluiceEnvironment().withBank("kept", { url: bank.url, signingSecrets: [bankSecret] }).withReuse();
  const sluice = await environment.start();
  opened.defer(() => sluice.stop());
  bank.connect({ url: sluice.url, token: sluice.token("kept"), branch: sluice.branch("kept") });
  const uetr = randomUUID();
  expect(await bank.collect({ uetr, account: "62005551230" })).toBe(202);
  await sluice.until(uetr, "HELD", "30s");
  await expect.poll(() => sluice.sent(uetr), { timeout: 30_000 }).toMatchObject([{ to: "kept", outcome: "ACKNOWLEDGED" }]);
});
