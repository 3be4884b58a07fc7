// Makes the conformance page in an ignored folder: each row of the interface, and the tests that show it.
// `node tools/generate/docs/conformance.ts [--check]`. With --check it writes nothing.
//
// #1 A test shows a row by the row's id in square brackets at the end of its title: `[2.5 debtor] [7.3]`. `[2.5 *]` and
//    `[2.3 homing*]` stand for all ids with that beginning and are listed, but show no row by themselves. A mark that
//    is no row's id is refused. `[D4 repeat]` names a row of docs/spec/decisions.md (`read-decisions.ts`).
// #2 Rows that no test shows yet are in docs/conformance/not-yet-shown.json. That list only shrinks: this program
//    removes rows and never adds one.
// #3 Rows that no test can show (a definition, a duty of the bank) are in docs/conformance/not-testable.json, each with
//    the reason. One that a test shows all the same is refused.

import { readTree, type FileTree } from "../../tidy/file-tree.ts";
import { runGenerator, writeOrCompare } from "../generator.ts";
import { readDecisions } from "./read-decisions.ts";

interface ConformanceSection {
  readonly section: string;
  readonly title: string;
  readonly rows: readonly { readonly id: string; readonly says: string }[];
}

interface Mark {
  readonly path: string;
  /** The title without its marks. For a row of a test's table it includes the title of that test. */
  readonly title: string;
  readonly ids: readonly string[];
}

export interface Conformance {
  /** One sentence for each mark that names nothing, and for each row that neither a test shows nor the list excuses. */
  readonly complaints: readonly string[];
  readonly page: string;
  readonly notYetShown: readonly string[];
}

const files = {
  rows: "docs/conformance/rows.json",
  decisions: "docs/spec/decisions.md",
  notYetShown: "docs/conformance/not-yet-shown.json",
  notTestable: "docs/conformance/not-testable.json",
  page: ".sluice/generated/conformance.md",
} as const;

const name = String.raw`[A-Za-z*][\w.*-]*`;
const mark = String.raw`\[(?:\d+(?:\.\d+)? ${name}|\d+\.\d+|D\d+ ${name}(?: [\w.*-]+)*|D\d+\.\d+)\]`;
const markedText = new RegExp(String.raw`(["'\`])((?:(?!\1)[^\n\\]|\\.)*?)((?: ${mark})+)\1`, "g");
const ownTests = "tools/generate/docs/conformance.test.ts";

export function buildConformance(tree: FileTree): Conformance {
  const decisions = readDecisions(tree.get(files.decisions) ?? "");
  const sections: readonly ConformanceSection[] = [...JSON.parse(tree.get(files.rows) ?? "[]"), ...decisions.sections];
  const excused: readonly string[] = JSON.parse(tree.get(files.notYetShown) ?? "[]");
  const untestable = new Map(Object.entries(readReasons(tree.get(files.notTestable) ?? "{}")));
  const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => id));
  const marks = readMarks(tree);
  const shown = new Map<string, Mark[]>();
  const exact = new Set<string>();
  const unknown: string[] = [];
  for (const one of marks) {
    for (const id of one.ids) {
      const meant = decisions.aliases.get(id) ?? [id];
      const named = ids.filter((known) => meant.some((each) => isNamed(known, each)));
      if (named.length === 0) unknown.push(`${one.path}: [${id}] is no row of ${id.startsWith("D") ? files.decisions : files.rows}`);
      for (const row of named) {
        shown.set(row, [...(shown.get(row) ?? []), one]);
        if (row === id || !id.endsWith("*")) exact.add(row);
      }
    }
  }
  const notYetShown = excused.filter((id) => !exact.has(id) && !untestable.has(id) && ids.includes(id));
  const isBare = (id: string) => !exact.has(id) && !untestable.has(id) && !notYetShown.includes(id);
  const bare = ids.filter(isBare).map((id) => `no test shows row ${id}`);
  const twice = decisions.usedTwice.map((number) => `two sentences of ${files.decisions} have the number ${number}`);
  const wrong = [...untestable].flatMap(([id, reason]) => findWrongReason(id, reason, ids, exact));
  return { complaints: [...twice, ...unknown, ...wrong, ...bare], page: buildPage(sections, shown, untestable), notYetShown };
}

function readReasons(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text);
}

/** #3 */
function findWrongReason(id: string, reason: string, ids: readonly string[], shown: ReadonlySet<string>): readonly string[] {
  if (!ids.includes(id)) return [`${files.notTestable}: ${id} is no row`];
  if (shown.has(id)) return [`${files.notTestable}: a test shows ${id}`];
  return reason.trim() === "" ? [`${files.notTestable}: ${id} has no reason`] : [];
}

function readMarks(tree: FileTree): readonly Mark[] {
  return [...tree]
    .filter(([path]) => path.endsWith(".test.ts") && path !== ownTests)
    .flatMap(([path, text]) =>
      [...text.matchAll(markedText)].map(({ 2: title = "", 3: marks = "", index }) => ({
        path,
        title: findTitle(title.trim().replaceAll("\\", ""), text, index),
        ids: [...marks.matchAll(/\[([^\]]+)\]/g)].map(([, id = ""]) => id),
      })),
    );
}

/** A text that is not the title of a call is a row of a table: its test is the next one that takes rows. */
function findTitle(words: string, text: string, index: number): string {
  const isTitle = /(?:\b(?:test|it|describe)|\))\($/.test(text.slice(0, index).trimEnd());
  if (isTitle) return words;
  const test = /\)\(\s*(["'`])((?:(?!\1)[^\n\\]|\\.)*)\1/.exec(text.slice(index))?.[2];
  return test === undefined ? words : `${words} (“${test.replaceAll(/ ?\[[^\]]*\]/g, "")}”)`;
}

function isNamed(id: string, named: string): boolean {
  return named.endsWith("*") ? id.startsWith(named.slice(0, -1)) : id === named;
}

function buildPage(
  sections: readonly ConformanceSection[],
  shown: ReadonlyMap<string, readonly Mark[]>,
  untestable: ReadonlyMap<string, string>,
): string {
  const parts = sections.map(({ section, title, rows }) => {
    const lines = rows.map(({ id, says }) => `| ${id} | ${says} | ${buildCell(shown.get(id), untestable.get(id))} |`);
    return `## ${section} ${title}\n\n${tableHead("row", "says")}${lines.join("\n")}\n`;
  });
  return `${head}${parts.join("\n")}`;
}

function tableHead(...names: readonly string[]): string {
  return `| ${names.join(" | ")} | shown by |\n| ${names.map(() => "---").join(" | ")} | --- |\n`;
}

function buildCell(marks: readonly Mark[] | undefined, untestable: string | undefined): string {
  if (untestable !== undefined) return `not testable: ${cellText(untestable)}`;
  if (marks === undefined) return "**no test yet**";
  const byPath = Map.groupBy(marks, ({ path }) => path);
  return [...byPath]
    .map(([path, found]) => `[${path}](../../${path}): ${[...new Set(found.map(({ title }) => cellText(title)))].join("; ")}`)
    .join("<br>");
}

function cellText(title: string): string {
  return title.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

const head = `# Conformance

Generated by \`tools/generate/docs/conformance.ts\` from \`docs/conformance/rows.json\` and the titles of the tests; do not edit. Each row of
[the interface](../../docs/spec/interface.md), sections 2 to 9, and of [the decisions](../../docs/spec/decisions.md), and the tests that show it. A test names its rows by marks at the end of its title: \`[2.5 debtor]\`.

`;

/** Writes the page and the shortened list, or compares them with `isCheck`. Returns complaints. */
export function generateConformance(root: string, isCheck: boolean): readonly string[] {
  const tree = readTree(root);
  const { complaints, page, notYetShown } = buildConformance(tree);
  const list = `${JSON.stringify(notYetShown, null, 2)}\n`;
  if (!isCheck) writeOrCompare(root, files.page, page, isCheck);
  return [...complaints, ...writeOrCompare(root, files.notYetShown, list, isCheck)];
}

if (import.meta.main) runGenerator(generateConformance);
