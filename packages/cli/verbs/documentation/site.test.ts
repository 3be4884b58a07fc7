// The documentation site without its generator: which pages there are, and where their links lead.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { formatChangelog } from "./changelog.ts";
import { formatFaults, listFaults } from "./fault-catalogue.ts";
import { toSitePages } from "./site-pages.ts";
import { siteSettings } from "./site-settings.ts";

const code = "```md\n[code](nowhere.md)\n```";

test("links between pages stay, one to a folder leads to its README, one to code becomes text", () => {
  const text = `[a](docs/a.md#part), [folder](docs/runbooks), [code](src/x.ts), [away](https://example.com), [here](#top)\n${code}`;
  const pages = new Map([
    ["README.md", text],
    ["docs/a.md", "[home](../README.md)"],
    ["docs/runbooks/README.md", ""],
  ]);
  expect(toSitePages(pages)).toEqual([
    {
      path: "index.md",
      text: `[a](docs/a.md#part), [folder](docs/runbooks/README.md), code, [away](https://example.com), [here](#top)\n${code}`,
    },
    { path: "docs/a.md", text: "[home](../index.md)" },
    { path: "docs/runbooks/README.md", text: "" },
  ]);
});

test("every link of this repository's pages leads to a page of the site", () => {
  const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  const paths = stdout.split("\n").filter((path) => path !== "");
  const pages = toSitePages(new Map(paths.map((path) => [path, readFileSync(join(projectRoot, path), "utf8")])));
  const known = new Set(pages.map(({ path }) => path));
  const links = pages.flatMap(({ path, text }) =>
    [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
      posix.join(posix.dirname(path), target),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((target) => !known.has(target))).toEqual([]);
});

test("each page is in the navigation once, by its reader, and a folder's README comes first", () => {
  const pages = ["index.md", "docs/runbooks/a.md", "docs/runbooks/README.md", "docs/sandbox.md", "docs/other.md", "errors.md"];
  const settings: { readonly nav: readonly Record<string, string | readonly string[]>[] } = parse(siteSettings(pages));
  expect(settings.nav).toEqual([
    { Sluice: "index.md" },
    { Banks: ["docs/sandbox.md"] },
    { Operators: ["docs/runbooks/README.md", "docs/runbooks/a.md"] },
    { "Look up": ["errors.md"] },
    { Developers: ["docs/other.md"] },
  ]);
});

test("the error catalogue has each code with its text, its place, and whether to try again", () => {
  const text =
    'throw new Fault("store.away", `no answer from ${host} | yet`, { isRetryable: true });\nnew Fault("a.b", said, { isRetryable });';
  const faults = listFaults(new Map([["packages/store/x.ts", text]]));
  expect(faults).toEqual([
    { code: "a.b", text: "", place: "packages/store", isRetryable: null },
    { code: "store.away", text: "no answer from … | yet", place: "packages/store", isRetryable: true },
  ]);
  expect(formatFaults(faults)).toContain("| `store.away` | no answer from … \\| yet | packages/store | yes |");
});

test("the changelog has the newest day first, and no merges", () => {
  const commits = [
    { day: "2026-11-23", subject: "Merge branch 'a'" },
    { day: "2026-11-22", subject: "Keep a thing" },
    { day: "2026-11-23", subject: "Mend a thing" },
  ];
  expect(formatChangelog(commits)).toBe("# Changelog\n\n## 2026-11-23\n\n- Mend a thing\n\n## 2026-11-22\n\n- Keep a thing\n");
  expect(formatChangelog([])).toContain("This copy has no history.");
});
