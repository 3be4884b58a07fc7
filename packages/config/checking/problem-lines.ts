// Where in the file a problem is, and which files the configuration names: for people who check a file, not for a
// service, which reads no line numbers.

import { access, constants } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { isMap, isNode, isSeq, type Node } from "yaml";
import { parseYaml } from "../file/parse-yaml.ts";
import { type Problem, problemAt } from "../file/problem.ts";

/**
 * Of each problem the line of its member, or of the one that should have it; where the file is no YAML, the line at
 * which that shows. Null: all of the file is meant.
 */
export function findLines(text: string, problems: readonly Problem[]): readonly (number | null)[] {
  const { document, lineCounter, errors } = parseYaml(text);
  const { contents } = document;
  const isYaml = errors.length === 0;
  return problems.map(({ path, text: said }) => {
    const [, line] = /^not YAML: .* at line (\d+)/.exec(said) ?? [];
    if (line !== undefined) return Number(line);
    const offset = isYaml && path !== "" ? findOffset(contents, path) : null;
    return offset === null ? null : lineCounter.linePos(offset).line;
  });
}

function findOffset(contents: Node | null, path: string): number {
  const keys = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? (name ?? "") : Number(index)));
  let [node, offset]: [Node | null, number] = [contents, 0];
  for (const key of keys) {
    const [next, at] = stepInto(node, key);
    if (at === null) break;
    [node, offset] = [next, at];
  }
  return offset;
}

/** The member and where its name is; null: there is none. */
function stepInto(node: Node | null, key: string | number): readonly [Node | null, number | null] {
  if (isMap(node)) {
    const pair = node.items.find(({ key: name }) => isNode(name) && String(name) === String(key));
    if (pair === undefined || !isNode(pair.key)) return [null, null];
    return [isNode(pair.value) ? pair.value : null, pair.key.range?.[0] ?? null];
  }
  const item = isSeq(node) && typeof key === "number" ? node.items[key] : undefined;
  return isNode(item) ? [item, item.range?.[0] ?? null] : [null, null];
}

/** A problem for each member that names a file or folder (`…File`, `rulesFolder`) which cannot be read here. */
export async function checkFiles(text: string, folder: string): Promise<readonly Problem[]> {
  const named = listNamed(parseYaml(text).document.toJS() as unknown, []);
  const problems = await Promise.all(
    named.map(async ({ path, file }) => {
      const where = isAbsolute(file) ? file : resolve(folder, file);
      return await access(where, constants.R_OK).then(
        () => [],
        () => [problemAt(path, "names a file that cannot be read here")],
      );
    }),
  );
  return problems.flat();
}

interface NamedFile {
  readonly path: readonly (string | number)[];
  readonly file: string;
}

/** A name with a variable is not looked at: which file it is depends on the environment. */
function listNamed(value: unknown, path: readonly (string | number)[]): readonly NamedFile[] {
  if (typeof value === "string") {
    const name = path.at(-1);
    const isFile = typeof name === "string" && /(?:File|Folder)$/.test(name) && !value.includes("${");
    return isFile ? [{ path, file: value }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => listNamed(one, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => listNamed(one, [...path, key]));
}
