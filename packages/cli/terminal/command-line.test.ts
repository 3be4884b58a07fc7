import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { runCommandLine } from "./command-line.ts";
import type { VerbCall, Verb } from "./verb.ts";

const calls: VerbCall[] = [];
const sample: Verb = {
  name: "config check",
  summary: "says what is wrong",
  arguments: [{ placeholder: "FILE", text: "the file" }],
  options: {
    json: { type: "boolean", text: "as JSON" },
    as: { type: "string", placeholder: "ROLE", text: "who reads it", choices: ["first", "second"] },
    reason: { type: "string", placeholder: "TEXT", text: "why", isRequired: true },
  },
  notes: ["more of it"],
  examples: ["config check a.yaml --as first"],
  run(call) {
    calls.push(call);
    if (call.positionals[0] === "missing.yaml") throw new Fault("cli.unfit-file", "missing.yaml cannot be read", { isRetryable: false });
    return Promise.resolve(call.flag("json") ? 7 : 0);
  },
};

async function run(...words: string[]) {
  const said = { out: "", err: "" };
  const output = { out: (text: string) => (said.out += `${text}\n`), err: (text: string) => (said.err += `${text}\n`) };
  return { code: await runCommandLine(words, [sample], output), ...said };
}

test("--help lists every verb with one line", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("./sluice config check FILE --reason TEXT  says what is wrong");
});

test("a call without a verb shows the help and is wrong use", async () => {
  expect(await run()).toMatchObject({ code: 2, out: "", err: expect.stringContaining("./sluice VERB --help") });
});

test("a verb's --help is made from its entry: usage, each argument and option with its text, notes, examples", async () => {
  const { code, out } = await run("config", "check", "--help");
  expect(code).toBe(0);
  expect(out).toBe(`./sluice config check FILE [--json] [--as ROLE] --reason TEXT

  says what is wrong

  FILE           the file
  --json         as JSON
  --as ROLE      who reads it: first, second
  --reason TEXT  why

  more of it

  ./sluice config check a.yaml --as first
`);
});

test("an option without a text does not compile", () => {
  // @ts-expect-error the text is missing
  const entry: Verb = { ...sample, options: { json: { type: "boolean" } } };
  expect(entry.name).toBe(sample.name);
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
