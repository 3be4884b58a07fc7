// What a start of `./sluice` costs, counted in modules: a time would depend on the machine.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
/** Prints each module that is loaded. */
const hooks = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });
`)}`;

function loadedBy(...words: readonly string[]): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, ["--import", hooks, main, ...words], { encoding: "utf8" });
  expect(status).toBe(0);
  return stderr.split("\n").filter((line) => line.endsWith(".ts"));
}

const overviewModulesMax = 25;

test("the overview loads no verb, and few modules", () => {
  const loaded = loadedBy("--help");
  expect(loaded.filter((url) => url.includes("/cli/verbs/"))).toEqual([]);
  expect(loaded.length).toBeLessThanOrEqual(overviewModulesMax);
});

test("the help of a verb loads that verb's file alone", () => {
  const loaded = loadedBy("held", "--help").filter((url) => url.includes("/cli/verbs/"));
  expect(loaded.map((url) => url.replace(/.*\/cli\//, ""))).toEqual(["verbs/reading/held.ts", "verbs/local/up-state.ts"]);
});
