import { spawnSync } from "node:child_process";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTurnWriter } from "./turn-writer.ts";

test("lines of one turn are one write, and those of the next another", async () => {
  const writes: string[] = [];
  const writer = createTurnWriter((lines) => writes.push(lines), setImmediate);
  writer.write("a\n");
  await Promise.resolve();
  writer.write("b\n");
  expect(writes).toEqual([]);
  await turn();
  writer.write("c\n");
  await turn();
  await turn();
  expect(writes).toEqual(["a\nb\n", "c\n"]);
});

test("a flush writes at once what waits, and nothing is written twice", async () => {
  const writes: string[] = [];
  const writer = createTurnWriter((lines) => writes.push(lines), setImmediate);
  writer.write("a\n");
  writer.flush();
  writer.flush();
  await turn();
  expect(writes).toEqual(["a\n"]);
});

test("a turn of many lines does not wait for its end with more than 64 Ki characters and a line", () => {
  const writes: string[] = [];
  const writer = createTurnWriter((lines) => writes.push(lines), setImmediate);
  const line = "x".repeat(1_000);
  for (let lines = 0; lines < 66; lines += 1) writer.write(line);
  expect(writes.map(({ length }) => length)).toEqual([66_000]);
});

const logger = new URL("./pino-logger.ts", import.meta.url).href;

function outputOf(script: string): string {
  const source = `const { createLogger } = await import(${JSON.stringify(logger)}); const log = createLogger({ service: "s", level: "info" }); ${script}`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" }).stdout;
}

test.each([
  ["exits", "log.info('last'); process.exit(0);"],
  ["ends with its work", "log.info('last');"],
  ["is killed after an error", "log.info('before'); log.error('last'); process.kill(process.pid, 'SIGKILL'); while (true);"],
  [
    "is killed in a later turn",
    "log.info('last'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1); setInterval(() => {}, 1000);",
  ],
  [
    "fails with an exception",
    "process.on('uncaughtException', () => { log.error('last'); process.exit(1); }); log.info('before'); throw new Error('x');",
  ],
])("the last line of a process that %s is in the log", (_, script) => {
  expect(outputOf(script)).toMatch(/"event":"last"[^\n]*\n$/);
});
