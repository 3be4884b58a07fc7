// Sends 10,000 valid messages and 10,000 with one mistake each over real HTTP. All are generated from SLUICE_SEED or a
// fixed seed.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { startListeningIngress } from "./listening-ingress.fixture.ts";
import type { SenderReport, SendOrder } from "./message-sender.ts";

const count = 10_000;
const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_120);

async function send(url: string, kind: SendOrder["kind"]): Promise<SenderReport> {
  const startedMs = performance.now();
  const workerData: SendOrder = { url, kind, count, seed };
  const worker = new Worker(new URL("./message-sender.ts", import.meta.url), { workerData });
  const [end]: SenderReport[] = await once(worker, "message");
  await worker.terminate();
  if (end === undefined) throw new Error("the sender ended without a report");
  const [tookMs, sendingMs] = [performance.now() - startedMs, end.sendingMs].map(Math.round);
  process.stdout.write(`${end.count} ${kind} messages in ${tookMs} ms, of which sending took ${sendingMs} ms\n`);
  return end;
}

it("I1: 10,000 generated messages are accepted and each is in the journal once [8 ack-202]", async () => {
  await using given = await startListeningIngress();
  const sent = await send(given.url, "good");
  expect(sent.wrong).toEqual([]);
  expect(sent.count).toBe(count);
  const stored = given
    .journal()
    .map(({ value }) => JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}` : member)));
  const uetrs = stored.map((text) => /"uetr":"([^"]+)"/.exec(text)?.[1]?.toLowerCase() ?? "");
  expect(uetrs.toSorted()).toEqual(sent.uetrs.toSorted());
});

it("I2: 10,000 messages with one mistake each are refused with the 4xx of the mistake, and nothing is stored", async () => {
  await using given = await startListeningIngress();
  const sent = await send(given.url, "mistaken");
  expect(sent.wrong).toEqual([]);
  expect(sent.count).toBe(count);
  expect(given.journal()).toEqual([]);
});
