// Sluice on servers of its own, each in a container of one network.

import { randomUUID } from "node:crypto";
import { Kafka, logLevel } from "kafkajs";
import { getContainerRuntimeClient } from "testcontainers";
import { expect, test } from "vitest";
import { bankSecret, ExampleBank } from "../example/bank.fixture.ts";
import { SluiceEnvironment } from "../index.ts";

/** Containers that run, without the one through which they reach this machine: it goes on for other tests. */
async function listContainers(): Promise<readonly string[]> {
  const client = await getContainerRuntimeClient();
  return (await client.container.list()).filter(({ Image }) => !Image.includes("sshd")).map(({ Id }) => Id);
}

test("I1, I6: servers and services start in one network, a debit is paid, its records are in the topics, and nothing is left", async () => {
  await using bank = await ExampleBank.open();
  const before = await listContainers();
  const startedMs = performance.now();
  {
    await using sluice = await new SluiceEnvironment()
      .withBank("example", { url: bank.url, signingSecrets: [bankSecret] })
      .withWindow({ opensIn: "1s", lasts: "20m" })
      .withStartedServers()
      .start();
    console.info(`Kafka, registry, store and six services were ready after ${Math.round(performance.now() - startedMs)} ms`);
    bank.connect({ url: sluice.url, token: sluice.token("example"), branch: sluice.branch("example") });
    const uetr = randomUUID();
    expect(await bank.collect({ uetr, account: "62005551230" })).toBe(202);
    await sluice.until(uetr, "COMPLETED", "60s");
    expect(bank.paid).toEqual([uetr]);
    await expect(sluice.openWindow()).rejects.toThrow("the clock is the machine's");

    const admin = new Kafka({ brokers: [sluice.servers.kafkaBrokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets("sluice.journal.v1");
    await admin.disconnect();
    expect(offsets.reduce((sum, { offset }) => sum + Number(offset), 0)).toBeGreaterThan(0);
  }
  expect(await listContainers()).toEqual(before);
}, 300_000);
