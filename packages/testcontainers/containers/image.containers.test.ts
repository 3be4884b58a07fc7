// The image's mode `all` as a container alone: its start, its bounds and its refusal.

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { afterAll, describe, expect, test } from "vitest";

const image = process.env["SLUICE_IMAGE"] ?? "sluice:latest";
const opsPort = 9464;
const memoryMiBMax = 200;
/** Seconds of one processor until it is ready: on a free one it is no later than that. */
const startSecondsMax = 3;
const file = "/etc/sluice/sluice.json";
const configuration = {
  banks: [{ id: "first", name: "First", agents: [{ memberId: "250655" }], tokenSha256: ["0".repeat(64)], baseUrl: "https://bank.example" }],
};

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** Nothing can write to the image's files, as under the chart. */
class ReadOnlyContainer extends GenericContainer {
  constructor() {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
  }
}

/** A file is mounted: none can be copied into a container whose root is read-only. */
const folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
opened.defer(() => rm(folder, { recursive: true }));
const source = join(folder, "sluice.json");
writeFileSync(source, JSON.stringify(configuration));
chmodSync(source, 0o444);

function container(environment: Readonly<Record<string, string>> = {}): GenericContainer {
  return new ReadOnlyContainer()
    .withCommand(["all"])
    .withUser("65532:65532")
    .withDroppedCapabilities("ALL")
    .withResourcesQuota({ memory: memoryMiBMax / 1_024 })
    .withEnvironment({ SLUICE_CONFIG: file, SLUICE_TLS_ENDED_BY: "test", ...environment })
    .withBindMounts([{ source, target: file, mode: "ro" }])
    .withExposedPorts(opsPort);
}

async function startReady(): Promise<StartedTestContainer> {
  const wait = Wait.forHttp("/readyz", opsPort).forStatusCode(200);
  const started = await container().withWaitStrategy(wait).withStartupTimeout(60_000).start();
  opened.defer(async () => void (await started.stop()));
  return started;
}

async function processorSeconds(started: StartedTestContainer): Promise<number> {
  const answer = await fetch(`http://${started.getHost()}:${started.getMappedPort(opsPort)}/metrics`);
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await answer.text())?.[1]);
}

describe("the mode `all` as a container", () => {
  test.each(["first", "second"])("is ready within three seconds of a processor, in 200 MiB, without rights: %s start", async (kind) => {
    const startedMs = performance.now();
    const started = await startReady();
    const seconds = await processorSeconds(started);
    console.info(`${kind} start: ready after ${Math.round(performance.now() - startedMs)} ms, ${seconds.toFixed(2)} s of a processor`);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(startSecondsMax);
  });

  test("I1: ends at once where a real server is named, and says which setting", async () => {
    let log = "";
    const refused = container({ KAFKA_BROKERS: "kafka:9092" })
      .withLogConsumer((lines) => void lines.on("data", (chunk: unknown) => (log += String(chunk))))
      .withWaitStrategy(Wait.forOneShotStartup())
      .withStartupTimeout(30_000);
    await expect(refused.start()).rejects.toThrow("Container failed to start");
    await expect.poll(() => log, { timeout: 10_000 }).toContain("real servers are named: KAFKA_BROKERS.");
  });
});
