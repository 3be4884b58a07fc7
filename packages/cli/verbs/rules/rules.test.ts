import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommandLine } from "../../terminal/command-line.ts";
import { runRulesCheck } from "./rules-check.ts";
import { runRulesExplain } from "./rules-explain.ts";
import { runRulesImport } from "./rules-import.ts";
import { runRulesList } from "./rules-list.ts";
import type { RunRulesVerb } from "./rules-terminal.ts";
import { createIndex, verbs } from "../../verbs.fixture.ts";

const valacdos =
  readFileSync(new URL("../../../account-validation/uk-modulus/uk-modulus.fixture.ts", import.meta.url), "utf8").split("`")[1] ?? "";
const runs: Readonly<Record<string, RunRulesVerb>> = {
  "rules check": runRulesCheck,
  "rules explain": runRulesExplain,
  "rules import": runRulesImport,
  "rules list": runRulesList,
};

/** Runs the real command line with recorded output. */
async function run(...words: string[]) {
  const said = { out: "", err: "" };
  const output = { out: (text: string) => (said.out += `${text}\n`), err: (text: string) => (said.err += `${text}\n`) };
  const terminal = { ...output, today: () => "2026-11-20", now: () => "2026-11-20T10:00:00Z", environment: {} };
  const table = verbs
    .filter(({ name }) => name in runs)
    .map((verb) => ({
      ...verb,
      run: (call: Parameters<RunRulesVerb>[0]) => runs[verb.name]!(call, terminal),
    }));
  return { code: await runCommandLine(words, createIndex(table), output), ...said };
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-rules-"));
  writeFileSync(join(folder, "valacdos.txt"), valacdos);
  writeFileSync(join(folder, "scsubtab.txt"), "938600 938611\n938602 938343\n");
  writeFileSync(join(folder, "broken.txt"), `${valacdos.trim().split("\n")[5]}\n089000 089999 MOD10 0 0 0\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(new URL("../../../../docs/account-checks.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
const examples = blocks.flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((one) => {
      const [command = "", ...answer] = one.split("\n");
      return [command, answer.join("\n")] as const;
    }),
);

describe("the page for operators", () => {
  test("has examples of every verb", () => {
    expect(new Set(examples.map(([command]) => command.split(" ").slice(1, 3).join(" ")))).toEqual(new Set(Object.keys(runs)));
  });

  test.each(examples)("the example prints what the page shows: %s", async (command, answer) => {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "").slice(1);
    const inFolder = words.map((word, index) => (index > 1 && /^rules$|\.txt$/.test(word) ? join(folder, word) : word));
    const { out, err } = await run(...inFolder);
    expect(err).toBe("");
    expect(out).toBe(answer);
  });
});

const account = ["--rule", "za-cdv", "--branch", "051001", "--account", "10004291601"];

test.each([
  [["list"], "RuleVersions"],
  [["explain", ...account, "--type", "1"], "AccountExplanation"],
])("rules %j --json says its schema", async (words, schema) => {
  expect(JSON.parse((await run("rules", ...words, "--json")).out)).toMatchObject({ schema });
});

test("rules check --json is one object of result, rule, version and reason, and exits with 0 whatever the result is [4 step-3]", async () => {
  const good = await run("rules", "check", ...account, "--type", "1", "--json");
  expect([good.code, JSON.parse(good.out)]).toEqual([0, { result: "valid", rule: "za-cdv", version: "1", reason: null }]);
  const bad = await run("rules", "check", ...account.slice(0, -1), "10004291603", "--type", "CACC", "--json");
  expect([bad.code, JSON.parse(bad.out)]).toEqual([0, { result: "invalid", rule: "za-cdv", version: "1", reason: "check-digit" }]);
});

test.each([
  [["check", "--rule", "za-cdv"], "--account is missing"],
  [["check", "--account", "1"], "--rule is missing: "],
  [["check", ...account, "--type", "5"], "--type is one of"],
  [["check", ...account, "--direction", "up"], "--direction is one of debit, credit"],
  [["check", ...account, "--date", "2026-02-30"], "--date is a date"],
  [["check", ...account, "--refuse-on", "low"], "--refuse-on is one of"],
  [["explain", ...account, "--rule-version", "0"], "za-cdv has no version 0"],
  [["list", "--folder", "a", "--config", "b"], "do not go together"],
  [["import", "--format", "csv", "a.txt", "--folder", "b"], "--format is one of cim900, valacdos, scsubtab"],
  [["import", "--format", "cim900", "a.txt"], "needs --folder"],
])("wrong use is reported in one line with exit code 2: rules %j", async (words, text) => {
  const { code, out, err } = await run("rules", ...words);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

test("a code that the rule does not know is an unknown type, as in a message", async () => {
  const unknown = await run("rules", "check", ...account, "--type", "ODFT", "--json");
  expect(JSON.parse(unknown.out)).toMatchObject({ result: "valid" });
});

test("a configuration file determines where imported data is, and from which confidence a failing row refuses", async () => {
  const config = join(folder, "sluice.yaml");
  const bank = `{ id: a, name: A, agents: [{ memberId: "1" }], tokenSha256: ["${"a".repeat(64)}"], baseUrl: "https://a.example" }`;
  const rules = join(folder, "from-config");
  writeFileSync(config, `banks: [${bank}]\nrulesFolder: ${rules}\ncdv: { refuseOn: medium }\n`);
  const imported = await run("rules", "import", "--format", "valacdos", join(folder, "valacdos.txt"), "--config", config, "--json");
  expect([imported.code, JSON.parse(imported.out)]).toMatchObject([0, { outcome: "imported", effectiveFrom: "2026-11-20", refused: [] }]);
  const listed = await run("rules", "list", "--config", config, "--json");
  expect(JSON.parse(listed.out)).toMatchObject({ date: "2026-11-20", versions: [{}, {}, { rule: "uk-modulus", isInForce: true }] });
  const question = ["--rule", "za-cdv", "--branch", "470010", "--account", "1234567891", "--type", "1"];
  expect((await run("rules", "check", ...question)).out).toBe("not-verifiable (check-digit), za-cdv version 1\n");
  expect((await run("rules", "check", ...question, "--config", config)).out).toBe(
    "invalid (check-digit), za-cdv version 1; a debit is refused\n",
  );
});

test("explain --json prints question, answer and steps; totals add up products and fudge, remainders follow from totals", async () => {
  const { out } = await run("rules", "explain", ...account, "--json");
  const { question, answer, isRefusal, steps } = JSON.parse(out);
  expect([question.account, answer.result, isRefusal]).toEqual(["10004291601", "valid", false]);
  const weighings = steps.filter(({ step }: { step: string }) => step === "weighing");
  expect(weighings.length).toBeGreaterThan(3);
  for (const { products, fudge, total, modulus, remainder } of weighings) {
    expect(total).toBe(products.reduce((sum: number, product: number) => sum + product, fudge));
    expect(remainder).toBe(total % modulus);
  }
});

test("a missing file is reported in one line", async () => {
  const { code, err } = await run("rules", "import", "--format", "cim900", join(folder, "none.txt"), "--folder", folder);
  expect([code, err.trimEnd().split("\n").length]).toEqual([1, 1]);
});
