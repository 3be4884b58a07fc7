// Reads the rows of the conformance page from docs/spec/decisions.md, so that each decision has one text.
//
// #1 A row is a name in the first column of a table, or in front of numbered sentences; its text is the row and those
//    sentences. A sentence without a name is a row by its number.
// #2 A second name stands for the names in its row's second column, or in the sentence that explains it.

interface DecisionSection {
  readonly section: string;
  readonly title: string;
  readonly rows: readonly { readonly id: string; readonly says: string }[];
}

export interface Decisions {
  readonly sections: readonly DecisionSection[];
  /** The names that a second name stands for. */
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  /** Numbers that two sentences have. */
  readonly usedTwice: readonly string[];
}

const name = /`(D\d+ [^`]+)`/gu;
const sentence = /^- \*\*(D\d+\.\d+)\*\* ((?:`D\d+ [^`]+` )*)/u;
const secondName = /^`(D\d+ [^`]+)` (?:is a second name of|means)/u;

export function readDecisions(page: string): Decisions {
  const aliases = new Map<string, readonly string[]>();
  const numbers: string[] = [];
  const sections: { section: string; title: string; texts: Map<string, string[]> }[] = [];
  for (const paragraph of joinLines(page)) {
    const heading = /^## (D\d+) (.*)$/u.exec(paragraph);
    if (heading !== null) sections.push({ section: heading[1] ?? "", title: heading[2] ?? "", texts: new Map() });
    const texts = sections.at(-1)?.texts;
    if (texts === undefined) continue;
    const add = (id: string, text: string): unknown => texts.set(id, [...(texts.get(id) ?? []), text]);
    const second = secondName.exec(paragraph)?.[1];
    const meant = findNames(paragraph).slice(1);
    if (second !== undefined && meant.length > 0) aliases.set(second, meant);
    const said = sentence.exec(paragraph);
    if (said?.[1] !== undefined) numbers.push(said[1]);
    const names = findNames(said?.[2] ?? "");
    for (const id of said === null ? [] : names.length === 0 ? [said[1] ?? ""] : names) add(id, paragraph.slice(said?.[0].length ?? 0));
    if (!paragraph.startsWith("| `D")) continue;
    const [first = "", ...cells] = paragraph.slice(2, -2).split(" | ");
    const isSecond =
      cells.length === 1 && findNames(cells[0] ?? "").length > 0 && /^`D[^`]+`(?:(?:,| and) `D[^`]+`)*$/u.test(cells[0] ?? "");
    for (const id of findNames(first)) {
      if (isSecond) aliases.set(id, findNames(cells[0] ?? ""));
      else add(id, cells.filter((cell) => cell !== "").join("; "));
    }
  }
  return {
    aliases,
    usedTwice: numbers.filter((number, index) => numbers.indexOf(number) !== index),
    sections: sections.map(({ section, title, texts }) => ({
      section,
      title,
      rows: [...texts].filter(([id]) => !aliases.has(id)).map(([id, says]) => ({ id, says: says.join(" ").replaceAll("|", "\\|") })),
    })),
  };
}

/** Lines of the page, each sentence with the lines that continue it. */
function joinLines(page: string): readonly string[] {
  const lines: string[] = [];
  for (const line of page.split("\n")) {
    const last = lines.at(-1);
    if (line.startsWith("  ") && last?.startsWith("- ") === true) lines[lines.length - 1] = `${last} ${line.trim()}`;
    else lines.push(line);
  }
  return lines;
}

function findNames(text: string): readonly string[] {
  return [...text.matchAll(name)].map(([, id = ""]) => id);
}
