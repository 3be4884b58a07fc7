// The entry of the image: `node infra/image/main.ts SERVICE [small|large]`, or a verb of `./sluice` with its words.
// `all` is all services in one process, for tests (`infra/all`).
//
// #1 The process becomes the service: no second process stands between the container and it, so signals and exit codes
//    are the service's own.
// #2 With SLUICE_PERMISSION=on a service runs under Node's permission model (permissions.ts). A verb never does: some
//    write files or start programs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEntries, projectRoot as root } from "./entries.ts";
import { buildLaunch, type ContainerMemory, readServiceWords } from "./launch.ts";
import { buildPermissions, withoutProto } from "./permissions.ts";

const exitUsage = 2;
const bytesOfMiB = 1_048_576;

function start(words: readonly string[]): void {
  const entries = findEntries();
  const given = readServiceWords(words, [...entries.keys()]);
  const folder = entries.get(given?.service ?? "");
  if (given === null || folder === undefined) {
    become([join(root, "packages", "cli", "main.ts"), ...words], {});
    return;
  }
  const memory: ContainerMemory = JSON.parse(readFileSync(join(folder, "memory.json"), "utf8"));
  const launch = buildLaunch(memory, given.profile, memoryLimitMiB());
  if (typeof launch === "string") {
    process.stderr.write(`sluice: ${given.service}: ${launch}\n`);
    process.exitCode = exitUsage;
    return;
  }
  // #2
  const confined = process.env["SLUICE_PERMISSION"] === "on" ? [withoutProto, ...buildPermissions(process.env, root)] : [];
  become([...launch.nodeArguments, ...confined, join(folder, "main.ts")], launch.environment);
}

/** #1 */
function become(nodeArguments: readonly string[], environment: Readonly<Record<string, string>>): void {
  if (process.execve === undefined) throw new Error("this system cannot replace a process");
  process.execve(process.execPath, [process.execPath, ...nodeArguments], { ...process.env, ...environment });
}

/** Null: no limit is set, or it is above the machine's memory. */
function memoryLimitMiB(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < Number.MAX_SAFE_INTEGER ? Math.floor(limit / bytesOfMiB) : null;
}

start(process.argv.slice(2));
