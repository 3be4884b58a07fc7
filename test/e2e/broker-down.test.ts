// The broker hangs, dies and comes back. A bank is never answered 202 for a message that is not stored, services that
// need the broker report that they are not ready, and they recover without an operator.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { provision, readiness, serviceEnvironment, startService } from "@sluice/environment";
import { partitionCountDefault, topics } from "@sluice/contracts";
import { makeRunDirectory, type Servers, startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { encodeBody, buildDirectDebit, sampleToken, drawUetr } from "@sluice/testkit";
import { request } from "undici";
import { afterAll, expect, test, vi } from "vitest";
import { environmentWithoutServers, twoBanksYaml, workFolder } from "./servers.fixture.ts";

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

async function startOwnServers(directory: string): Promise<Servers> {
  const servers = await startServers({ directory, storage: "file", purpose: "e2e", environment: environmentWithoutServers() });
  return servers;
}

test("I1: while the broker hangs neither ingress nor dispatcher is ready, and the console says it; while it is down ingress answers 503 with Retry-After, never 202, and recovers by itself", async () => {
  const directory = await makeRunDirectory(workFolder, "e2e-broker");
  let servers = await startOwnServers(directory);
  opened.defer(() => servers.stop());
  await provision(servers, "sluice_e2e_broker");
  const configurationFile = join(directory, "sluice.yaml");
  await writeFile(configurationFile, twoBanksYaml);
  const environment = serviceEnvironment({ servers, configurationFile, database: "sluice_e2e_broker" });
  const ingress = await startService("ingress", environment, join(directory, "ingress.log"));
  opened.defer(async () => void (await ingress.stop()));
  const dispatcher = await startService("dispatcher", environment, join(directory, "dispatcher.log"));
  opened.defer(async () => void (await dispatcher.stop()));
  const console = await startService("console", environment, join(directory, "console.log"));
  opened.defer(async () => void (await console.stop()));
  const services = [ingress, dispatcher];
  for (const service of [...services, console]) await service.ready();
  const untilAll = async (isReady: boolean): Promise<void> => {
    const reasons = async () => Promise.all(services.map(({ opsPort }) => readiness(opsPort)));
    await vi.waitFor(async () => expect((await reasons()).map((reason) => reason === "ready")).toEqual(services.map(() => isReady)), {
      timeout: 60_000,
      interval: 250,
    });
  };

  const answers = new Map<string, number>();
  const send = async (): Promise<{ readonly status: number; readonly retryAfter: string | undefined; readonly tookMs: number }> => {
    const uetr = drawUetr(machineRandom);
    const startedMs = machineTime.monotonicMs();
    const answer = await request(`http://127.0.0.1:${ingress.port}/transactions/outbound/direct-debit`, {
      method: "POST",
      headers: { authorization: `Bearer ${sampleToken("first")}`, "content-type": "application/json" },
      body: encodeBody(buildDirectDebit({ uetr })),
    });
    await answer.body.dump();
    answers.set(uetr, answer.statusCode);
    return {
      status: answer.statusCode,
      retryAfter: answer.headers["retry-after"]?.toString(),
      tookMs: machineTime.monotonicMs() - startedMs,
    };
  };

  expect((await send()).status).toBe(202);
  const broker = servers.started.find(({ name }) => name === "kafka");
  if (broker === undefined) throw new Error("kafka was started here");
  // The stopped broker accepts connections but answers nothing.
  process.kill(broker.pid, "SIGSTOP");
  await untilAll(false);
  await vi.waitFor(
    async () => expect(await (await fetch(`http://127.0.0.1:${console.opsPort}/readyz`)).text()).toContain("journal: no partition answers"),
    { timeout: 30_000 },
  );
  expect((await send()).status).toBe(503);
  process.kill(broker.pid, "SIGCONT");
  await untilAll(true);
  await vi.waitFor(async () => expect((await send()).status).toBe(202), { timeout: 10_000, interval: 500 });

  process.kill(broker.pid, "SIGKILL");
  for (let count = 0; count < 5; count += 1) {
    const { status, retryAfter, tookMs } = await send();
    expect([status, retryAfter]).toEqual([503, "1"]);
    expect(tookMs).toBeLessThan(5_000);
  }
  await untilAll(false);
  await vi.waitFor(
    async () => expect(await (await fetch(`http://127.0.0.1:${console.opsPort}/readyz`)).text()).toContain("journal: no partition answers"),
    { timeout: 30_000 },
  );

  await servers.stop();
  servers = await startOwnServers(directory);
  await vi.waitFor(async () => expect((await send()).status).toBe(202), { timeout: 60_000, interval: 500 });
  await untilAll(true);

  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "e2e" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const stored = new Set<string>();
  for (const [index, { logEnd }] of (await messaging.ends(partitions)).entries()) {
    const partition = partitions[index];
    if (partition === undefined) continue;
    for await (const record of messaging.read(partition, 0n, logEnd)) stored.add(new TextDecoder().decode(record.key ?? new Uint8Array()));
  }
  const accepted = [...answers].filter(([, status]) => status === 202).map(([uetr]) => uetr);
  expect(accepted.length).toBeGreaterThanOrEqual(2);
  expect(accepted.filter((uetr) => !stored.has(uetr))).toEqual([]);
});
