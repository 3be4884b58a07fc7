// Reads the repository and checks it against the rules of the code base. Each rule is a pure function over a file tree,
// with an example that breaks it: a rule that cannot find its own example would find nothing.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { coveredReads } from "./covered-reads.ts";
import { deadFiles } from "./dead-files.ts";
import { readTree, type Rule, type TidyFinding, toTree } from "./file-tree.ts";
import { fences, importFences } from "./import-fences.ts";
import { importFloors } from "./import-floors.ts";
import { lockedPackages } from "./locked-packages.ts";
import { machineTraces } from "./machine-traces.ts";
import { pagesPointToThings } from "./pages.ts";
import { citePromises } from "./promises.ts";
import { folderSizes } from "./folder-sizes.ts";
import { importCircles } from "./import-circles.ts";
import {
  decisionNumbers,
  fixtureNames,
  numberedInvariants,
  oneImportAModule,
  commentWidth,
  pageWidth,
  reasonsWithCauses,
} from "./notations.ts";
import { schemeNames } from "./scheme-names.ts";
import { uniqueExports } from "./unique-exports.ts";
import { fileSizes, namesOfFiles } from "./sizes-and-names.ts";
import { notesOfWork, testsRun } from "./unfinished-work.ts";
import { vocabulary } from "./vocabulary.ts";
import { wireMap } from "./wire-map.ts";
import { clocksAndRandomness, environmentAccess } from "./ambient-access.ts";

interface Case {
  readonly promise: string;
  readonly rule: Rule;
  /** Trees that break the rule, each with a part of the expected finding. */
  readonly broken: readonly (readonly [Readonly<Record<string, string>>, string])[];
  /** A similar tree that keeps the rule. */
  readonly whole: Readonly<Record<string, string>>;
}

const packages = Object.fromEntries(
  ["packages/domain", "packages/messaging", "packages/process", "packages/testkit", "services/ingress", "services/scheduler"].map(
    (folder) => [`${folder}/package.json`, `{ "name": "@sluice/${folder.split("/")[1]}", "exports": { ".": "./index.ts" } }`],
  ),
);

// What the rules look for is joined of parts here: the rules, and scanners from elsewhere, read this file too.
const note = ["TO", "DO"].join("");
const [homeFolder, rootFolder, workFolder] = ["home", "root", "work"].map((name) => `/${name}`);
const pathOfOneMachine = ["", "home", "me", "sluice"].join("/");
const registryHost = ["registry", "npmjs", "org"].join(".");
const addressAsPath = ["import.meta.url)", "pathname"].join(".");
const notRun = [["only"], ["skip"], ["todo"], ["concurrent", "only"], ["skipIf(x)"]].map((names) => ["test", ...names].join("."));

const schemeTable = { "packages/domain/schemes.ts": "export const schemes = {\n  ZA_EFT: {\n" };

const floors = {
  "packages/kernel": { values: [] },
  "packages/store": { values: ["kernel", "kernel/time"] },
  "packages/delivery": { values: ["store"], types: ["kernel"] },
};
const floorRows = ["| 1 | kernel | nothing |", "| 2 | store | kernel |", "| 3 | delivery | store; types of kernel |", ""];

const cases: readonly Case[] = [
  {
    promise: "imports go down the table, never up or across",
    rule: importFences,
    broken: [
      [
        { ...packages, "packages/domain/debit-and-credit/decide.ts": 'import { x } from "@sluice/messaging";\n' },
        "must not import @sluice/messaging",
      ],
      [{ ...packages, "packages/domain/debit-and-credit/decide.ts": 'import { readFileSync } from "node:fs";\n' }, "is pure"],
      [{ ...packages, "packages/messaging/x.ts": 'import { x } from "@sluice/domain/schemes";\n' }, "must not import @sluice/domain"],
      [
        { ...packages, "packages/messaging/port.ts": 'import type { X } from "@sluice/domain";\n' },
        "must not import types of @sluice/domain",
      ],
      [
        { ...packages, "packages/messaging/port.ts": 'import type { X } from "@sluice/process";\n' },
        "must not import types of @sluice/process",
      ],
      [{ ...packages, "services/ingress/service.ts": 'import { broker } from "@sluice/process";\n' }, "is an adapter"],
      [{ ...packages, "services/ingress/service.ts": 'import { x } from "@sluice/scheduler";\n' }, "a service imports another"],
      [{ ...packages, "services/ingress/service.ts": 'import { createKafkaMessaging } from "@sluice/messaging";\n' }, "is an adapter"],
      [{ ...packages, "services/ingress/service.ts": 'import kafkajs from "kafkajs";\n' }, "is at home in packages/messaging"],
      [{ ...packages, "services/ingress/service.ts": 'import { x } from "../scheduler/lane.ts";\n' }, "leaves the package"],
      [{ ...packages, "services/ingress/service.ts": 'import { x } from "@sluice/testkit";\n' }, "must not import @sluice/testkit"],
    ],
    whole: {
      ...packages,
      "packages/contracts/x.ts": 'import { x } from "@sluice/domain/schemes";\n',
      "packages/process/run-process.ts": 'import { createKafkaMessaging } from "@sluice/messaging";\n',
      "services/ingress/main.ts": 'import { broker } from "@sluice/process";\n',
      "services/ingress/service.ts": 'import { isTerminal } from "@sluice/domain";\nimport { x } from "./x.ts";\n',
      "services/ingress/service.test.ts": 'import { x } from "@sluice/testkit";\nimport { test } from "vitest";\n',
    },
  },
  {
    promise: "the page on the architecture shows the import fences",
    rule: (files) => importFloors(files === tree ? fences : floors)(files),
    broken: [
      [{ "ARCHITECTURE.md": floorRows.slice(1).join("\n") }, "no row for packages/kernel"],
      [
        { "ARCHITECTURE.md": floorRows.join("\n").replace("store; types", "nothing; types") },
        "packages/delivery imports store; types of kernel",
      ],
      [{ "ARCHITECTURE.md": floorRows.join("\n").replace("| 2 |", "| 3 |") }, "packages/delivery is not above store"],
    ],
    whole: { "ARCHITECTURE.md": floorRows.join("\n") },
  },
  {
    promise: "a source file has at most 400 lines",
    rule: fileSizes,
    broken: [[{ "packages/domain/debit-and-credit/decide.ts": "a\n".repeat(401) }, "401 lines"]],
    whole: {
      "packages/domain/debit-and-credit/decide.ts": "a\n".repeat(400),
      "packages/domain/debit-and-credit/decide.test.ts": "a\n".repeat(900),
      "packages/contracts/generated/records.ts": "a\n".repeat(900),
    },
  },
  {
    promise: "names are kebab-case and describe the content of a file",
    rule: namesOfFiles,
    broken: [
      [{ "packages/domain/dayState.ts": "" }, "not kebab-case"],
      [{ "packages/domain/string-utils.ts": "" }, "says nothing"],
      [{ "packages/common/day.ts": "" }, "says nothing"],
    ],
    whole: { "README.md": "", "packages/domain/day-state.test.ts": "", ".ci/run": "", "infra/local/java/LocalMongo.java": "" },
  },
  {
    promise: "only a process's entry reads the environment",
    rule: environmentAccess,
    broken: [[{ "services/ingress/service.ts": 'const a = process.env["A"];\n' }, "process.env"]],
    whole: { "services/scheduler/rebuild/main.ts": "read(process.env);\n", "services/ingress/service.ts": "// never process.env\n" },
  },
  {
    promise: "time and randomness are arguments outside the adapters",
    rule: clocksAndRandomness,
    broken: ["Date.now()", "setTimeout(f, 1)", "Math.random()", "crypto.randomUUID()", "new Date()", "AbortSignal.timeout(1)"].map(
      (call) => [{ "services/scheduler/partition/worker.ts": `const a = ${call};\n` }, "are arguments"] as const,
    ),
    whole: {
      "packages/kernel/time.ts": "Date.now();\n",
      "services/scheduler/partition/worker.ts": "time.nowMs(); new Date(time.nowMs());\n",
    },
  },
  {
    promise: "what differs between schemes is asked from their table, not from their names",
    rule: schemeNames,
    broken: [
      [{ ...schemeTable, "packages/config/file/checks.ts": 'const takesDebits = id === "ZA_EFT";\n' }, "ask the scheme's row"],
      [{}, "no scheme found"],
    ],
    whole: {
      ...schemeTable,
      "packages/config/file/checks.test.ts": 'const id = "ZA_EFT";\n',
      "packages/documents/texts.ts": 'const day = "for example ZA_EFT:2026-11-20";\nconst text = { example: "ZA_EFT" };\n',
    },
  },
  {
    promise: "every schema of the wire is on the map",
    rule: wireMap,
    broken: [
      [{ "avro/README.md": "", "avro/release.avsc": "{}" }, "is not on the map"],
      [{ "avro/README.md": "[`Release`](release.avsc)" }, "which is not there"],
    ],
    whole: {
      "avro/README.md": "[`Release`](release.avsc) [`Code`](types/code.avsc)",
      "avro/release.avsc": "{}",
      "avro/types/code.avsc": "{}",
    },
  },
  {
    promise: "every promise that is kept is cited by a test's title",
    rule: citePromises,
    broken: [[{ "packages/domain/debit-and-credit/decide.test.ts": 'test("I8: a debit is held", f);\n' }, "I15"]],
    whole: {
      "packages/domain/debit-and-credit/decide.test.ts":
        'test("I1, I2, I3, I4, I5, I6: x", f);\ntest("I8 and I9: y", f);\ntest(`I10: z`, f);\n',
      "services/dispatcher/isolation/isolation.test.ts": 'describe("I12, I14: x", f);\ntest.each([1])("I7, I15, I16: %d", f);\n',
    },
  },
  {
    promise: "every test is run, always",
    rule: testsRun,
    broken: notRun.map(
      (call) => [{ "packages/domain/debit-and-credit/decide.test.ts": `${call}("x", f);\n` }, "every test is run"] as const,
    ),
    whole: { "packages/domain/debit-and-credit/decide.test.ts": `test.each([1])("x", f);\n// never ${notRun[0]}\n` },
  },
  {
    promise: "unfinished work names its issue",
    rule: notesOfWork,
    broken: [[{ "packages/domain/debit-and-credit/decide.ts": `// ${note}: more\n` }, "without an issue"]],
    whole: { "packages/domain/debit-and-credit/decide.ts": `// ${note}(#12): more\n` },
  },
  {
    promise: "every file is reached from something that runs",
    rule: deadFiles,
    broken: [
      [{ ...packages, "packages/domain/day.ts": "export const a = 1;\n" }, "nothing that runs imports it"],
      [{ ...packages, "services/ingress/main.ts": 'import "./a.ts";\n', "services/ingress/b.ts": "" }, "nothing that runs imports it"],
      [{ "data/rules.json": "{}" }, "nothing names it"],
    ],
    whole: {
      ...packages,
      "services/ingress/main.ts": 'import { a } from "@sluice/domain";\nspawn(new URL("run.ts", import.meta.url));\n',
      "services/ingress/run.ts": 'read("../../data/rules.json");\n',
      "packages/domain/index.ts": 'export * from "./day.ts";\n',
      "packages/domain/day.ts": "export const a = 1;\n",
      "data/rules.json": "{}",
    },
  },
  {
    promise: "nothing names the machine that it was written on",
    rule: machineTraces,
    broken: [
      [{ "README.md": `see ${pathOfOneMachine}\n` }, "a path of one machine"],
      [{ "pnpm-lock.yaml": `resolution: https://${registryHost}/a.tgz\n` }, "a registry's host"],
      [{ "packages/http/a.test.ts": `read(new URL("a.json", ${addressAsPath});\n` }, "may hold spaces"],
    ],
    whole: { "README.md": `see .${homeFolder} and src${rootFolder}/a, and https://example.org${workFolder}/b\n` },
  },
  {
    promise: "every package comes from a registry, with its hash",
    rule: lockedPackages,
    broken: [
      [{ "pnpm-lock.yaml": "  a@1.0.0:\n    resolution: {integrity: sha1-YQ==}\n" }, "sha1-YQ=="],
      [{ "pnpm-lock.yaml": "  a@1.0.0:\n    resolution: {commit: abc, repo: a, type: git}\n" }, "type: git"],
    ],
    whole: { "pnpm-lock.yaml": "  a@1.0.0:\n    resolution: {integrity: sha512-YQ==}\n" },
  },
  {
    promise: "every target that a page names exists",
    rule: pagesPointToThings,
    broken: [
      [{ "README.md": "[more](docs/more.md)\n" }, "docs/more.md is not there"],
      [{ "README.md": "see `packages/domain/gone.ts`\n" }, "packages/domain/gone.ts is not there"],
      [
        { "README.md": "run `./sluice fly`\n", "packages/cli/verbs/local/up.ts": 'export const upVerb: Verb = {\n  name: "up",\n' },
        "./sluice fly is no verb",
      ],
    ],
    whole: {
      "docs/a.md":
        "[b](b.md#part), [root](../docs), [out](https://example.org/x), `packages/cli/verbs/rules/config-check.ts`, `./sluice config check FILE`\n",
      "docs/b.md": "",
      "packages/cli/verbs/rules/config-check.ts": 'export const configCheckVerb: Verb = {\n  name: "config check",\n',
    },
  },
  {
    promise: "a folder has at most 25 entries",
    rule: folderSizes,
    broken: ["", "packages/domain/", "tools/", "infra/local/"].map((folder) => [
      Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`${folder}f${n}.ts`, ""])),
      "26 entries",
    ]),
    whole: Object.fromEntries(
      ["packages/domain/golden/", "docs/adr/", "docs/runbooks/", "avro/"].flatMap((folder) =>
        Array.from({ length: 26 }, (_, n) => [`${folder}f${n}`, ""]),
      ),
    ),
  },
  {
    promise: "each decision has a number of its own",
    rule: decisionNumbers,
    broken: [
      [{ "docs/adr/0104-one.md": "# 104. One\n", "docs/adr/0104-two.md": "# 104. Two\n" }, "0104-one.md has this number"],
      [{ "docs/adr/0106-one.md": "# 104. One\n" }, "does not begin with 106."],
    ],
    whole: { "docs/adr/0001-one.md": "# 1. One\n", "docs/adr/0002-two.md": "# 2. Two\n", "docs/adr/README.md": "" },
  },
  {
    promise: "no file reaches itself by its imports",
    rule: importCircles,
    broken: [
      [
        { "packages/domain/a.ts": 'import { b } from "./b.ts";\n', "packages/domain/b.ts": 'import type { A } from "./a.ts";\n' },
        "a.ts → ",
      ],
      [{ "packages/domain/a.ts": 'export * from "./a.ts";\n' }, "imports itself"],
    ],
    whole: { "packages/domain/a.ts": 'import { b } from "./b.ts";\n', "packages/domain/b.ts": 'await import("./a.ts");\n' },
  },
  {
    promise: "an exported name is defined once",
    rule: uniqueExports,
    broken: [[{ "packages/a/x.ts": "export function go() {}\n", "packages/b/y.ts": "export const go = 1;\n" }, "go is defined in"]],
    whole: { "packages/a/x.ts": "export function go() {}\n", "packages/b/y.test.ts": "export const go = 1;\n" },
  },
  {
    promise: "invariants are numbered in one way",
    rule: numberedInvariants,
    broken: [[{ "packages/a/x.ts": "// 1. It holds.\n" }, "numbered #1"]],
    whole: { "packages/a/x.ts": "// #1 It holds.\n" },
  },
  {
    promise: "test data is named in one way",
    rule: fixtureNames,
    broken: [[{ "packages/a/given-days.ts": "" }, "*.fixture.ts"]],
    whole: { "packages/a/days.fixture.ts": "" },
  },
  {
    promise: "a module is imported by one statement",
    rule: oneImportAModule,
    broken: [[{ "packages/a/x.ts": 'import { a } from "./y.ts";\nimport type { B } from "./y.ts";\n' }, "./y.ts is imported by two"]],
    whole: { "packages/a/x.ts": 'import { a, type B } from "./y.ts";\n' },
  },
  {
    promise: "code and pages use the glossary's words",
    rule: vocabulary,
    broken: [
      [{ "packages/a/x.ts": "const laneCount = 1;\n" }, '"lane" is not a word of the glossary: use partition'],
      [{ "docs/a.md": "A record is put aside.\n" }, "dead-lettered"],
      [{ "docs/glossary.md": "## Words that are not used\n" }, "does not name"],
    ],
    whole: { "packages/a/x.ts": "const planes = understanding;\n" },
  },
  {
    promise: "a log line that says why something failed names the causes",
    rule: reasonsWithCauses,
    broken: [
      [{ "services/ingress/x.ts": 'logger.warn("x.failed", { reason: String(error) });\n' }, "names the causes"],
      [{ "services/ingress/x.ts": 'logger.warn("x.failed", { code: error.code, reason: error.message });\n' }, "names the causes"],
    ],
    whole: { "services/ingress/x.ts": 'logger.warn("x.failed", { reason: formatReason(error) });\n' },
  },
  {
    promise: "I1: a reading of a range is held against its end",
    rule: coveredReads,
    broken: [
      [{ "services/console/x.ts": "for await (const one of messaging.read(place, from, to)) take(one);\n" }, "x.ts:1: a range"],
      [{ "test/environment/x.ts": "\nconst all = this.#ports.messaging.read(place, from, to);\n" }, "x.ts:2: a range"],
    ],
    whole: {
      "services/console/x.ts":
        "for await (const one of requireCovered(messaging.read(place, from, to), place, from, to)) take(one);\n" +
        "const all = requireCovered(\n  this.#ports.messaging.read(place, from, to),\n  place,\n);\n",
      "services/console/x.test.ts": "await Array.fromAsync(messaging.read(place, from, to));\n",
    },
  },
  {
    promise: "a line of a comment ends at 120 columns",
    rule: commentWidth,
    broken: [
      [{ "packages/a/x.ts": `// ${"a".repeat(118)}\n` }, "121 columns"],
      [{ "packages/a/x.ts": `//    ${"a".repeat(115)}\n` }, "121 columns"],
    ],
    whole: { "packages/a/x.ts": `// ${"a".repeat(117)}\n` },
  },
  {
    promise: "a line of a page ends at 120 columns",
    rule: pageWidth,
    broken: [
      [{ "docs/a.md": `${"a".repeat(121)}\n` }, "docs/a.md:1: 121 columns"],
      [{ "docs/a.md": `\`\`\`sh\nls\n\`\`\`\n- ${"a".repeat(119)}\n` }, "docs/a.md:4: 121 columns"],
      [{ ".ci/run": `ls\n# ${"a".repeat(119)}\n` }, ".ci/run:2: 121 columns"],
      [{ "infra/image/Dockerfile": `  # ${"a".repeat(117)}\n` }, "infra/image/Dockerfile:1: 121 columns"],
    ],
    whole: {
      "docs/a.md": `${"a".repeat(120)}\n| ${"a".repeat(119)} |\n\`\`\`sh\n${"a".repeat(121)}\n\`\`\`\n[b](https://${"b".repeat(120)})\n`,
      "docs/api/surface.md": `${"a".repeat(121)}\n`,
      ".ci/run": `# ${"a".repeat(118)}\nls ${"a".repeat(118)}\n`,
    },
  },
];

const tree = readTree(fileURLToPath(new URL("../..", import.meta.url)));

describe.each(cases)("$promise", ({ rule, broken, whole }) => {
  test("in this repository", () => {
    expect(lines(rule(tree))).toEqual([]);
  });

  test.each(broken)("finds a tree that breaks it: %j", (files, part) => {
    expect(lines(rule(toTree(files))).join("\n")).toContain(part);
  });

  test("accepts a tree that keeps it", () => {
    expect(lines(rule(toTree(whole)))).toEqual([]);
  });
});

function lines(findings: readonly TidyFinding[]): readonly string[] {
  return findings.map(({ path, text }) => `${path}: ${text}`);
}

test("every package is in the scope of Sluice [D1.2]", () => {
  const packages = [...tree].filter(([path]) => /^(?:packages|services|test|tools)\/(?:.*\/)?package\.json$/.test(path));
  expect(packages.length).toBeGreaterThan(20);
  for (const [path, text] of packages) {
    const { name }: { readonly name: string } = JSON.parse(text);
    expect([path, name]).toEqual([path, expect.stringMatching(/^@sluice\/[a-z-]+$/)]);
  }
});
