import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfigurationFile } from "@sluice/config";
import { type Logger, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { expect, it, vi } from "vitest";
import { debitBody, startTestIngress, postBody } from "../ingress.fixture.ts";
import { watchCallers } from "./watch-callers.ts";

const path = "/transactions/outbound/direct-debit";

function fileText(tokens: readonly string[], baseUrl = "https://first.example"): string {
  const hashes = tokens.map((token) => `"${createHash("sha256").update(token).digest("hex")}"`).join(", ");
  return `banks: [{ id: first, name: First, agents: [{ memberId: "250655" }], tokenSha256: [${hashes}], baseUrl: "${baseUrl}" }]`;
}

it("a token is replaced without a restart, first next to the old one, then alone; a broken file changes nothing and is logged", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-callers-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, "sluice.yaml");
  async function write(text: string): Promise<void> {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
  await write(fileText(["old"]));
  const running = readConfigurationFile(file, {});
  const { ingress, requested } = await startTestIngress(running);
  const said: string[] = [];
  const note = (event: string): void => void said.push(event);
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  const watch = watchCallers(ingress, {
    time: machineTime,
    path: file,
    environment: {},
    running,
    pollMs: 5,
    logger,
    metrics: silentMetrics,
  });
  stack.defer(() => watch.stop());
  const statusOf = async (token: string) => (await requested(path, postBody(debitBody, { authorization: `Bearer ${token}` }))).status;
  const heard = (...events: string[]) => vi.waitFor(() => expect(said.splice(0)).toEqual(events));

  expect([await statusOf("old"), await statusOf("new")]).toEqual([202, 401]);
  await write(fileText(["old", "new"]));
  await heard("ingress.callers-replaced");
  expect([await statusOf("old"), await statusOf("new")]).toEqual([202, 202]);
  await write("banks: [");
  await heard("ingress.configuration-broken");
  expect([await statusOf("old"), await statusOf("new")]).toEqual([202, 202]);
  await write(fileText(["new"], "https://elsewhere.example"));
  await heard("ingress.callers-replaced", "ingress.needs-restart");
  expect([await statusOf("old"), await statusOf("new")]).toEqual([401, 202]);
});
