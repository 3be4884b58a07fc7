// What `./sluice test containers` runs on: a container engine and the image of Sluice, which `infra/containers` brings.
//
// #1 Nothing is left running: neither the container through which others reach this machine, nor an engine that was
//    started here.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";

const script = join(projectRoot, "infra", "containers", "images.sh");

/** Resolves with the variables of the tests; `opened` ends what was started. */
export async function openContainers(opened: AsyncDisposableStack): Promise<Readonly<Record<string, string>>> {
  opened.defer(() => void runScript("down"));
  const variables = runScript("up")
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
  const port = String(await freePort());
  opened.defer(() => removePublishing(port));
  return { ...Object.fromEntries(variables), TESTCONTAINERS_SSHD_PORT: port };
}

function runScript(word: "up" | "down"): string {
  const { status, stdout } = spawnSync("bash", [script, word], {
    encoding: "utf8",
    env: { ...process.env, NODE: process.execPath },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Fault("cli.no-containers", `infra/containers/images.sh ${word} ended with ${status}`, { isRetryable: false });
  return stdout;
}

/** #1: testcontainers leaves it to another container to remove this one, which may not be there. */
function removePublishing(port: string): void {
  const engine = existsSync("/usr/bin/docker") ? "/usr/bin/docker" : "docker";
  const ids = execFileSync(engine, ["ps", "--quiet", "--filter", `publish=${port}`], { encoding: "utf8" }).split("\n");
  for (const id of ids.filter((one) => one !== "")) execFileSync(engine, ["rm", "--force", id], { stdio: "ignore" });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, "0.0.0.0", () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  return typeof address === "object" && address !== null ? address.port : 0;
}
