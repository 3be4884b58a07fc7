import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCommandLine } from "./terminal/command-line.ts";
import { listRows, rowsBelow } from "./terminal/verb-index.ts";
import { columnsMax, formatGroupHelp, formatHelp, formatOverview } from "./terminal/verb-help.ts";
import { createIndex, verbs } from "./verbs.fixture.ts";
import { verbIndex } from "./verbs.ts";

const found = verbs.map((verb) => [verb.name, verb] as const);

test("names of verbs are unique, and each row of the index loads the verb that it names", () => {
  expect(new Set(verbs.map(({ name }) => name)).size).toBe(verbs.length);
  expect(verbs.map(({ name }) => name)).toEqual(listRows(verbIndex).map(({ name }) => name));
});

test("the overview and every help end their lines at 80 columns", () => {
  const texts = [
    formatOverview(verbIndex),
    ...verbs.map(formatHelp),
    ...["window", "bank"].map((word) => formatGroupHelp(word, rowsBelow(verbIndex, word))),
  ];
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line.length > columnsMax);
  expect(lines).toEqual([]);
});

test.each(found)("help of %s has an example, and a shell takes each of them as it is printed", (_name, verb) => {
  expect(verb.examples).not.toEqual([]);
  const pasted = formatHelp(verb).replaceAll(/ \\\n +/g, " ");
  for (const example of verb.examples) expect(pasted).toContain(`  ./sluice ${example}\n`.trimEnd());
});

const calling = found.filter(([, { options }]) => "console" in options && "profile" in options);

test.each(calling)("help of %s, which calls the console, names the token and the sign-in", (_name, verb) => {
  const help = formatHelp(verb).replaceAll(/\s+/g, " ");
  expect(help).toContain("SLUICE_OPERATOR_TOKEN");
  expect(help).toContain("./sluice login NAME");
});

test.each(found)("every argument and option of %s has a text and a placeholder in capitals", (_name, verb) => {
  const options = Object.values(verb.options);
  const words = [...verb.arguments, ...options.filter((option) => option.type === "string")];
  expect([...verb.arguments, ...options].filter(({ text }) => text.trim() === "")).toEqual([]);
  expect(words.filter(({ placeholder }) => !/^[A-Z]/.test(placeholder))).toEqual([]);
});

test.each(found)("the command line accepts the examples of %s", async (name, verb) => {
  for (const example of verb.examples) {
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    const called: string[] = [];
    const table = verbs.map((one) => ({ ...one, run: () => Promise.resolve(called.push(one.name) - 1) }));
    const said: string[] = [];
    const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
    expect([await runCommandLine(words, createIndex(table), output), called, said]).toEqual([0, [name], []]);
  }
});

test.each([
  ["runs", "test/model/delivery.test.ts", /runsInCi = ([\d_]+)/],
  ["seeds", "test/simulation/seeds.ts", /seedsInCi = ([\d_]+)/],
])("help of test --long names the %s that CI draws", (_what, file, form) => {
  const [, drawn = ""] = form.exec(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")) ?? [];
  const help = formatHelp(verbs.find(({ name }) => name === "test")!);
  expect(drawn).not.toBe("");
  expect(help).toContain(`instead of ${Number(drawn.replaceAll("_", "")).toLocaleString("en")}`);
});
