import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { runCommandLine } from "./command-line.ts";
import type { VerbCall, Verb } from "./verb.ts";

const calls: VerbCall[] = [];
const sample: Verb = {
  name: "config check",
  usage: "FILE [--json]",
  line: "says what is wrong",
  details: ["more of it"],
  options: { json: { type: "boolean" }, as: { type: "string" } },
  arguments: [1, 1],
  load: () =>
    Promise.resolve((call: VerbCall) => {
      calls.push(call);
      if (call.positionals[0] === "missing.yaml") throw new Fault("cli.unfit-file", "missing.yaml cannot be read", { isRetryable: false });
      return Promise.resolve(call.flag("json") ? 7 : 0);
    }),
};

const ownReader: Verb = { ...sample, name: "demo", ownHelp: () => Promise.resolve("its own help") };

async function run(...words: string[]) {
  const said = { out: "", err: "" };
  const output = { out: (text: string) => (said.out += `${text}\n`), err: (text: string) => (said.err += `${text}\n`) };
  return { code: await runCommandLine(words, [sample, ownReader], output), ...said };
}

test("--help lists every verb with one line", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("./sluice config check FILE [--json]  says what is wrong");
});

test("a call without a verb shows the help and is wrong use", async () => {
  expect(await run()).toMatchObject({ code: 2, out: "", err: expect.stringContaining("./sluice VERB --help") });
});

test("a verb's --help shows its details", async () => {
  expect(await run("config", "check", "--help")).toMatchObject({ code: 0, out: expect.stringContaining("more of it") });
});

test("a verb that reads its options itself gets them as given, and has its own help", async () => {
  expect(await run("demo", "--help")).toMatchObject({ code: 0, out: "its own help\n" });
  await run("demo", "--anything", "at all");
  expect(calls.at(-1)?.raw).toEqual(["--anything", "at all"]);
});

test.each([
  [["nonsense"], "there is no verb nonsense"],
  [["config", "check", "a.yaml", "--loud"], "--loud"],
  [["config", "check", "a.yaml", "--as"], "argument missing"],
  [["config", "check"], "an argument is missing"],
  [["config", "check", "a", "b"], "b is one argument too many"],
])("%j is refused in one line with exit code 2", async (words, text) => {
  const { code, err } = await run(...words);
  expect(code).toBe(2);
  expect(err).toContain(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

test("a verb of two words gets its arguments and options, and returns the exit code", async () => {
  expect((await run("config", "check", "a.yaml", "--json", "--as", "first")).code).toBe(7);
  expect(calls.at(-1)?.positionals).toEqual(["a.yaml"]);
  expect(calls.at(-1)?.value("as")).toBe("first");
});

test("a Fault is reported without a stack, with exit code 1", async () => {
  expect(await run("config", "check", "missing.yaml")).toMatchObject({ code: 1, err: "sluice: missing.yaml cannot be read\n" });
});
