// The ten questions, each a file with a comment that asks it and one statement that answers it; and their answers, as
// the Python program `lake.py` gives them.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface Question {
  /** Such as `settled`. */
  readonly name: string;
  readonly text: string;
  readonly sql: string;
  readonly path: string;
}

export type Answer =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly (string | null)[])[] }
  | { readonly problem: string };

const folder = fileURLToPath(new URL("questions", import.meta.url));
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Bytes of all answers. */
const answersMax = 64 * 1_048_576;
const answerMaxMs = 120_000;
const run = promisify(execFile);

/** The program's pinned packages. */
export const pythonRequirements: string = file("requirements.txt");

export function readQuestions(): readonly Question[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const content = readFileSync(path, "utf8");
      const [, text = ""] = /^-- (.*)\n/.exec(content) ?? [];
      return { name: name.replace(/^\d+-|\.sql$/g, ""), text, sql: content.replace(/^-- .*\n/, ""), path };
    });
}

/** Asks with the Python of an environment that has the program's packages. */
export async function askLake(python: string, lake: string, questions: readonly Question[]): Promise<ReadonlyMap<string, Answer>> {
  const named = questions.map(({ name, path }) => `${name}=${path}`);
  const { stdout } = await run(python, [file("lake.py"), lake, file("views.sql"), ...named], {
    maxBuffer: answersMax,
    timeout: answerMaxMs,
  });
  const answers: Readonly<Record<string, Answer>> = JSON.parse(stdout);
  return new Map(Object.entries(answers));
}
