// What the start of a service loads, counted in modules: each takes about 45 KiB of resident memory for as long as the
// service lives, and a measured size would depend on the machine.
//
// #1 A bound is a ratchet: it goes down with what is left out. Who raises it says what the service needs more.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { findEntries } from "./entries.ts";

/** Prints each module that is loaded. */
const hooks = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  import { writeSync } from "node:fs";
  registerHooks({ load(url, context, next) { writeSync(2, url + "\\n"); return next(url, context); } });
`)}`;
const exitRefused = 1;

/** Starts the service without any setting: it loads its code, refuses, and ends. Modules of Node are not counted. */
function loadedBy(service: string): readonly string[] {
  const folder = findEntries().get(service) ?? "";
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_")));
  const words = ["--import", hooks, `${folder}/main.ts`];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env: environment, maxBuffer: 16 * 1024 ** 2 });
  expect(status).toBe(exitRefused);
  return [...new Set(stderr.split("\n").filter((line) => line.startsWith("file:")))];
}

const answers = /\/contracts\/control\/\w+-answers\.ts$/;
const driver = /\/node_modules\/mongodb\//;
const undiciIndex = /\/node_modules\/undici\/index\.js$/;

/** #1 */
const bounds = {
  ingress: { modulesMax: 950, without: [answers, driver, undiciIndex] },
  validator: { modulesMax: 860, without: [answers, driver, undiciIndex] },
  scheduler: { modulesMax: 1_115, without: [answers, undiciIndex] },
  dispatcher: { modulesMax: 1_175, without: [answers, undiciIndex] },
  "event-publisher": { modulesMax: 1_175, without: [answers, undiciIndex] },
  console: { modulesMax: 1_380, without: [undiciIndex] },
};

test.each(Object.entries(bounds))(
  "the start of %s loads few modules, and none that only others need",
  (service, { modulesMax, without }) => {
    const loaded = loadedBy(service);
    expect(loaded.filter((url) => without.some((unneeded) => unneeded.test(url)))).toEqual([]);
    expect(loaded.length).toBeLessThanOrEqual(modulesMax);
  },
);
