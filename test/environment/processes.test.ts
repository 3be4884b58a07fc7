import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "./processes.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sluice processes-"));
});
afterAll(async () => rm(directory, { recursive: true }));

test("a service that does not start reports why and where its log is; no variable of ours named SLUICE_ reaches it", async () => {
  const logFile = join(directory, "ingress.log");
  process.env["SLUICE_LOG_LEVEL"] = "loud";
  await expect(startService("ingress", {}, logFile)).rejects.toThrow(/ingress ended with 1: .*KAFKA_BROKERS: is not set.*ingress\.log/);
  delete process.env["SLUICE_LOG_LEVEL"];
});
