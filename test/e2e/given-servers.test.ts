// The package for tests of a bank's side, on Kafka, a registry and a store that are there: each service is a process of
// its own, and the servers have what it did.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { topics } from "@sluice/contracts";
import { projectRoot } from "@sluice/environment/run-program";
import { startServers } from "@sluice/local-servers";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { createKafkaMessaging } from "@sluice/messaging";
import { type RunningSluice, SluiceEnvironment } from "@sluice/testcontainers";
import { buildDirectDebit, drawUetr, encodeBody } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentWithoutServers } from "./servers.fixture.ts";

const partitionCount = 3;
const opened = new AsyncDisposableStack();
let sluice: RunningSluice;
let kafkaBrokers: string;

beforeAll(async () => {
  const bank = createServer((request, response) => void request.resume().once("end", () => response.writeHead(202).end()));
  bank.listen(0, "127.0.0.1");
  await once(bank, "listening");
  opened.defer(() => bank.closeAllConnections());
  opened.defer(() => void bank.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = bank.address() as AddressInfo;
  const servers = await startServers({ storage: "memory", purpose: "e2e", environment: environmentWithoutServers() });
  opened.defer(() => servers.stop());
  kafkaBrokers = servers.kafkaBrokers;
  const environment = new SluiceEnvironment().withBank("karoo", { url: `http://127.0.0.1:${port}` }).withSource(projectRoot);
  sluice = opened.use(await environment.withWindow({ opensIn: "1s", lasts: "1h" }).withServers(servers).start());
}, 240_000);
afterAll(() => opened.disposeAsync());

test("I1: a debit goes its way on the servers that were named, and the journal there has it", async () => {
  const uetr = drawUetr(machineRandom);
  const branch = sluice.branch("karoo");
  const answer = await fetch(`${sluice.url}/transactions/outbound/direct-debit`, {
    method: "POST",
    headers: { authorization: `Bearer ${sluice.token("karoo")}`, "content-type": "application/json" },
    body: encodeBody(buildDirectDebit({ uetr, debtorBranch: branch, creditorBranch: branch })),
  });
  expect(answer.status).toBe(202);
  const { states, businessDate } = await sluice.until(uetr, "DELIVERED", "60s");
  expect(states.map(({ state }) => state)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED"]);
  expect(businessDate).toBe(sluice.businessDate);
  expect(await journalKeys()).toContain(uetr);
});

test("a bank asks the console about its transactions, at an address of its own", async () => {
  const headers = { authorization: `Bearer ${sluice.token("karoo")}` };
  const { status } = await fetch(`${sluice.consoleUrl}/transactions/${drawUetr(machineRandom)}`, { headers });
  expect([status, sluice.consoleUrl === sluice.url]).toEqual([404, false]);
});

test("the clock is the machine's, and is not moved", async () => {
  expect(Math.abs((await sluice.now()).getTime() - machineTime.nowMs())).toBeLessThan(1_000);
  await expect(sluice.advance("1h")).rejects.toThrow(/cannot be moved/);
  await expect(sluice.openWindow()).rejects.toThrow(/cannot be moved/);
});

async function journalKeys(): Promise<readonly string[]> {
  const connection = { brokers: kafkaBrokers.split(","), clientId: "e2e" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  try {
    const partitions = Array.from({ length: partitionCount }, (_, partition) => ({ topic: topics.journal, partition }));
    const keys: string[] = [];
    for (const [index, { logEnd }] of (await messaging.ends(partitions)).entries()) {
      const partition = partitions[index];
      if (partition === undefined) continue;
      for await (const record of messaging.read(partition, 0n, logEnd)) keys.push(new TextDecoder().decode(record.key ?? new Uint8Array()));
    }
    return keys;
  } finally {
    await messaging.close();
  }
}
