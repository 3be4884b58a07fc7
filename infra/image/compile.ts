// Fills the cache of compiled code while the image is built: `node infra/image/compile.ts`, with the variable
// NODE_COMPILE_CACHE.
//
// #1 Each service is started without any setting, so that it loads its code, refuses, and ends.
// #2 V8 takes compiled code only with the same flags, so each service is started with each of its memory profiles.
// #3 As many are started at once as there are processors: Node writes an entry of the cache beside it and renames it.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { findEntries, projectRoot as root } from "./entries.ts";
import type { ContainerMemory } from "./launch.ts";

interface Start {
  readonly words: readonly string[];
  readonly expected: number;
}

/** #1 */
const exitRefused = 1;

const help: Start = { words: [join(root, "infra", "image", "main.ts"), "--help"], expected: 0 };
const refused = [...findEntries().values()].flatMap((folder): readonly Start[] => {
  const { profiles }: ContainerMemory = JSON.parse(readFileSync(join(folder, "memory.json"), "utf8"));
  return Object.values(profiles).map(({ nodeArguments }) => ({
    words: [...nodeArguments, join(folder, "main.ts")],
    expected: exitRefused,
  }));
});
const waiting = [help, ...refused];
// #3
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let start = waiting.shift(); start !== undefined; start = waiting.shift()) await run(start);
  }),
);

async function run({ words, expected }: Start): Promise<void> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (status !== expected) throw new Error(`node ${words.join(" ")} ended with ${status}, not ${expected}: ${said}`);
}
