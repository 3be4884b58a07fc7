// Fills the cache of compiled code while the image is built: `node infra/image/compile.ts`, with the variable
// NODE_COMPILE_CACHE.
//
// #1 Each service is started without any setting, so that it loads its code, refuses, and ends.
// #2 V8 takes compiled code only with the same flags, so each service is started with each of its memory profiles.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEntries, projectRoot as root } from "./entries.ts";
import type { ContainerMemory } from "./launch.ts";

/** #1 */
const exitRefused = 1;

run([join(root, "infra", "image", "main.ts"), "--help"], 0);
for (const folder of findEntries().values()) {
  const { profiles }: ContainerMemory = JSON.parse(readFileSync(join(folder, "memory.json"), "utf8"));
  for (const { nodeArguments } of Object.values(profiles)) run([...nodeArguments, join(folder, "main.ts")], exitRefused);
}

function run(words: readonly string[], expected: number): void {
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== expected) throw new Error(`node ${words.join(" ")} ended with ${status}, not ${expected}: ${stdout}`);
}
