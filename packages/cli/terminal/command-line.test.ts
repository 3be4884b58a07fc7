import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createIndex } from "../verbs.fixture.ts";
import { runCommandLine } from "./command-line.ts";
import type { VerbCall, Verb } from "./verb.ts";

const calls: VerbCall[] = [];
const failures: Readonly<Record<string, string>> = {
  "missing.yaml": "cli.unfit-file",
  away: "cli.console-away",
  "not-up": "cli.not-up",
  refused: "cli.refused",
  unknown: "cli.not-known",
  wrong: "cli.no-uetr",
};
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
    const failure = failures[call.positionals[0] ?? ""];
    if (call.positionals[0] === "taken") throw Object.assign(new Error("listen"), { code: "EADDRINUSE", port: 8280 });
    if (failure !== undefined) throw new Fault(failure, "missing.yaml cannot be read", { isRetryable: false });
    return Promise.resolve(call.flag("json") ? 7 : 0);
  },
};

const other: Verb = { ...sample, name: "config show", summary: "shows it", arguments: [], options: {} };
const several: Verb = {
  ...sample,
  name: "names",
  arguments: [{ placeholder: "NAME", text: "of the list", choices: ["one", "two"], count: [0, 2] }],
  options: {},
};

async function run(...words: string[]) {
  const said = { out: "", err: "" };
  const output = { out: (text: string) => (said.out += `${text}\n`), err: (text: string) => (said.err += `${text}\n`) };
  return { code: await runCommandLine(words, createIndex([sample, other, several]), output), ...said };
}

test("--help lists every verb with one line", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("  config check  says what is wrong\n");
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
  [["nonsense"], "there is no verb nonsense; ./sluice --help lists all"],
  [["confg"], "there is no verb confg; did you mean config?"],
  [["config", "chek"], "there is no verb config chek; did you mean config check?"],
  [["config", "check", "a.yaml", "--loud"], "there is no option --loud"],
  [["config", "check", "a.yaml", "--resaon", "x"], "there is no option --resaon; did you mean --reason?"],
  [["config", "check", "a.yaml", "--as"], "argument missing"],
  [["config", "check", "--reason", "x"], "FILE is missing"],
  [["config", "check", "a.yaml"], "--reason is missing: why"],
  [["config", "check", "a.yaml", "--reason", ""], "--reason is missing: why"],
  [["config", "check", "a", "b", "--reason", "x"], "b is one argument too many"],
  [["config", "check", "a", "--as", "other", "--reason", "x"], "--as is one of first, second;"],
  [["config", "check", "a", "--as", "secnd", "--reason", "x"], "--as is one of first, second; did you mean second?"],
  [["names", "one", "tow"], "tow is no NAME: one, two; did you mean two?"],
])("%j is refused in one line with exit code 2", async (words, text) => {
  const { code, err } = await run(...words);
  expect(code).toBe(2);
  expect(err).toContain(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

test("a verb of two words gets its arguments and options, and returns the exit code", async () => {
  expect((await run("config", "check", "a.yaml", "--json", "--as", "first", "--reason", "x")).code).toBe(7);
  expect(calls.at(-1)?.positionals).toEqual(["a.yaml"]);
  expect(calls.at(-1)?.value("as")).toBe("first");
});

test("a Fault is reported without a stack, with exit code 1", async () => {
  expect(await run("config", "check", "missing.yaml", "--reason", "x")).toMatchObject({
    code: 1,
    err: "sluice: missing.yaml cannot be read\n",
  });
});

test("a port that is taken is named, without a stack", async () => {
  expect(await run("config", "check", "taken", "--reason", "x")).toMatchObject({
    code: 1,
    err: "sluice: port 8280 is taken by another process: give another one\n",
  });
});

test.each([
  ["missing.yaml", 1],
  ["wrong", 2],
  ["away", 3],
  ["not-up", 3],
  ["refused", 4],
  ["unknown", 5],
])("a script tells a failure of the kind %s by its exit code %i", async (file, code) => {
  expect((await run("config", "check", file, "--reason", "x")).code).toBe(code);
});

test("the first word of several verbs is answered with their list", async () => {
  const list = "usage: ./sluice config VERB\n  config check  says what is wrong\n  config show   shows it\n";
  expect(await run("config", "--help")).toMatchObject({ code: 0, out: expect.stringContaining(list) });
  expect(await run("help", "config")).toMatchObject({ code: 0, out: expect.stringContaining(list) });
  expect(await run("config")).toMatchObject({ code: 2, err: expect.stringContaining(list) });
});

test("the first word alone, with options at most, calls the verb for all below it", async () => {
  const called: string[] = [];
  const verb = (name: string): Verb => ({
    ...other,
    name,
    options: { json: sample.options["json"]! },
    run: async () => called.push(name) - 1,
  });
  const index = createIndex([verb("bench one"), verb("bench all")]);
  const quiet = { out: () => {}, err: () => {} };
  const codes = [["bench"], ["bench", "--json"], ["bench", "two"], ["bench", "--help"]].map((words) => runCommandLine(words, index, quiet));
  expect(await Promise.all(codes)).toEqual([0, 1, 2, 0]);
  expect(called).toEqual(["bench all", "bench all"]);
});

test("help may stand before or behind a verb", async () => {
  const own = await run("config", "show", "--help");
  expect(own.out).toMatch(/^\.\/sluice config show\n/);
  expect(await run("help", "config", "show")).toEqual(own);
  expect(await run("config", "show", "help")).toEqual(own);
});

test("--version names the commit and the Node that runs", async () => {
  expect(await run("--version")).toMatchObject({ code: 0, out: expect.stringMatching(/^sluice .+, Node \d+\./) });
});
