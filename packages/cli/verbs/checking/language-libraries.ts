// What the part `languages` of `./sluice test` needs: the libraries of the banks in Java and Python
// (`packages/receiver/languages`). They are brought by Maven and pip into `.sluice/languages`.
//
// #1 A language whose program is missing, or whose library cannot be brought, is left out, with the reason.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";

const source = join(projectRoot, "packages", "receiver", "languages");
const target = join(projectRoot, ".sluice", "languages");

interface Language {
  readonly name: string;
  /** The file with the pinned versions. */
  readonly pins: string;
  /** Programs with their words, one after another. */
  readonly steps: readonly (readonly [string, ...string[]])[];
  readonly environment: Readonly<Record<string, string>>;
}

const python = join(target, "python", "bin", "python");

const languages: readonly Language[] = [
  {
    name: "Python",
    pins: join(source, "requirements.txt"),
    steps: [
      ["python3", "-m", "venv", join(target, "python")],
      [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", join(source, "requirements.txt")],
    ],
    environment: { SLUICE_TEST_PYTHON: python },
  },
  {
    name: "Java",
    pins: join(source, "pom.xml"),
    steps: [
      ["java", "-version"],
      ["mvn", "-B", "-q", "-f", join(source, "pom.xml"), `-Dinto=${join(target, "java")}`, "package"],
    ],
    environment: { SLUICE_TEST_CLASSPATH: join(target, "java", "libraries", "*") },
  },
];

/** Returns the variables of the languages that are there. */
export async function bringLanguages(progress: (text: string) => void): Promise<Readonly<Record<string, string>>> {
  mkdirSync(target, { recursive: true });
  const environment: Record<string, string> = {};
  for (const language of languages) {
    const failed = await bring(language, progress);
    if (failed === null) Object.assign(environment, language.environment);
    else progress(`${language.name} is left out, because ${failed}`);
  }
  return environment;
}

/** #1 Returns the reason. */
async function bring({ name, pins, steps }: Language, progress: (text: string) => void): Promise<string | null> {
  const stamp = join(target, `${name}.installed`);
  const wanted = readFileSync(pins, "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return null;
  progress(`brings the library of Standard Webhooks for ${name}`);
  for (const [program, ...words] of steps) {
    const { code, said } = await runToEnd(program, words);
    if (code !== 0) return `${program} ${code === null ? "is not there" : `ended with ${code}: ${said}`}`;
  }
  writeFileSync(stamp, wanted);
  return null;
}

function runToEnd(program: string, words: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => void said.push(bytes.toString()));
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: null, said: "" }));
    child.once("close", (code) => resolve({ code: code ?? 1, said: said.join("").trim().split("\n").at(-1) ?? "" }));
  });
}
