import { Fault } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { highlight, isColourShown } from "./colour.ts";
import { buildCall, createFakeConsole } from "./console.fixture.ts";
import type { RunControlVerb } from "./control-client.ts";
import { watched } from "./watch.ts";

async function watchFor(run: RunControlVerb, rounds: number, isTerminal: boolean) {
  const time = createVirtualTime({ startAtMs: 0 });
  const over = new AbortController();
  const console = createFakeConsole([]);
  const open = () => Promise.resolve({ time, signal: over.signal, [Symbol.dispose]: () => undefined });
  const watching = watched(run, open)(buildCall({ watch: true }), { ...console.where, isTerminal });
  watching.catch(() => null);
  for (let round = 1; round < rounds; round += 1) await time.advance(2_000);
  over.abort();
  await time.advance(2_000);
  return { code: await watching, text: console.text() };
}

test("--watch asks again every two seconds, and shows each answer in place of the one before", async () => {
  let asked = 0;
  const run: RunControlVerb = (_call, where) => {
    asked += 1;
    where.out(`answer ${asked}`);
    return Promise.resolve(0);
  };
  const { code, text } = await watchFor(run, 3, true);
  expect([code, asked]).toEqual([0, 3]);
  expect(text.split("\u001b[H\u001b[2J").slice(1)).toEqual(
    [0, 2, 4].map((second, index) => `every 2 s, Ctrl-C ends it; 1970-01-01T00:00:0${second}Z\n\nanswer ${index + 1}\n`),
  );
  expect((await watchFor(run, 1, false)).text).not.toContain("\u001b");
});

test("--watch goes on while the console does not answer, and ends with what it refuses", async () => {
  const away = () => Promise.reject(new Fault("cli.console-away", "the console does not answer", { isRetryable: true }));
  expect((await watchFor(away, 2, false)).text.match(/does not answer/g)).toHaveLength(2);
  const refused = () => Promise.reject(new Fault("cli.refused", "this needs the role read", { isRetryable: false }));
  await expect(watchFor(refused, 2, false)).rejects.toThrow("role read");
});

test("what a person should look at has a colour, but never in JSON, without a terminal, or with NO_COLOR", () => {
  expect(highlight("first  breaker-open  2")).toBe("first  \u001b[31mbreaker-open\u001b[39m  2");
  expect(highlight("gate of first  closed: not declared")).toContain("\u001b[33mclosed:\u001b[39m");
  expect(highlight('{ "state": "breaker-open" }')).toBe('{ "state": "breaker-open" }');
  expect(isColourShown({ isTTY: true }, {})).toBe(true);
  expect([
    isColourShown({}, {}),
    isColourShown({ isTTY: true }, { NO_COLOR: "1" }),
    isColourShown({ isTTY: true }, { TERM: "dumb" }),
  ]).toEqual([false, false, false]);
});
