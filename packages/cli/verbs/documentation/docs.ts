// `./sluice docs`: builds the documentation site from the pages of this repository, by Zensical.
//
// #1 Every page is on the site under its own path. Two pages are made: errors by code, and the changelog.
// #2 Zensical, by the people of Material for MkDocs and its successor, is brought by pip into `.sluice/docs`; nothing
//    is installed elsewhere.
// #3 A link that leads nowhere fails the build.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

const folder = join(projectRoot, ".sluice", "docs");
const program = join(folder, "python", "bin", "zensical");
const settings = join(folder, "mkdocs.yml");
const pinned = "zensical==0.0.73";

const run: RunVerb = async (call) => {
  bringProgram();
  const count = await writePages();
  const serve = call.flag("serve");
  const code = await runToEnd(program, serve ? ["serve", "-f", settings] : ["build", "-f", settings, "--strict", "--clean"]);
  if (code !== 0) throw new Fault("cli.no-site", `Zensical ended with ${code}`, { isRetryable: false });
  if (!serve) process.stdout.write(`${count} pages: ${join(folder, "site", "index.html")}\n`);
  return 0;
};

export const docsVerb: Verb = {
  name: "docs",
  summary: "builds the documentation site: all pages with search, errors by code, the changelog; needs python3",
  arguments: [],
  options: { serve: { type: "boolean", text: "serves it at http://127.0.0.1:8000 until Ctrl-C" } },
  examples: ["docs", "docs --serve"],
  run,
};

/** #2 */
function bringProgram(): void {
  if (existsSync(program)) return;
  process.stderr.write("docs: brings Zensical into .sluice/docs\n");
  mkdirSync(folder, { recursive: true });
  const python = join(folder, "python");
  const steps = [
    ["python3", "-m", "venv", python],
    [join(python, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned],
  ];
  for (const [name = "", ...words] of steps) {
    const { status } = spawnSync(name, words, { stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) {
      rmSync(python, { recursive: true, force: true });
      throw new Fault("cli.no-zensical", "the site needs python3 with venv, and pip that reaches its packages", { isRetryable: false });
    }
  }
}

/** #1 */
async function writePages(): Promise<number> {
  const [{ toSitePages }, { formatFaults, listFaults }, { formatChangelog }, { siteSettings, siteStyle }] = await Promise.all([
    import("./site-pages.ts"),
    import("./fault-catalogue.ts"),
    import("./changelog.ts"),
    import("./site-settings.ts"),
  ]);
  const commits = git("log", "--format=%cs %s").map((line) => ({ day: line.slice(0, 10), subject: line.slice(11) }));
  const sources = readAll(
    git("ls-files", "packages/*.ts", "services/*.ts", "infra/*.ts").filter((path) => !/\.(test|fixture)\.ts$/.test(path)),
  );
  const pages = [
    ...toSitePages(readAll(git("ls-files", "*.md"))),
    { path: "errors.md", text: formatFaults(listFaults(sources)) },
    { path: "changelog.md", text: formatChangelog(commits) },
  ];
  rmSync(join(folder, "pages"), { recursive: true, force: true });
  for (const { path, text } of pages) {
    const file = join(folder, "pages", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const style = join(folder, "pages", siteStyle.path);
  mkdirSync(dirname(style), { recursive: true });
  writeFileSync(style, siteStyle.text);
  writeFileSync(settings, siteSettings(pages.map(({ path }) => path)));
  return pages.length;
}

function git(...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("git", words, { cwd: projectRoot, encoding: "utf8", maxBuffer: 64 * 1_048_576 });
  return (stdout ?? "").split("\n").filter((line) => line !== "");
}

function readAll(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    paths.filter((path) => existsSync(join(projectRoot, path))).map((path) => [path, readFileSync(join(projectRoot, path), "utf8")]),
  );
}

function runToEnd(name: string, words: readonly string[]): Promise<number> {
  const child = spawn(name, words, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 0));
  });
}
