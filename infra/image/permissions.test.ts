// What a service may do in the image, tried in its own process: the same flags with a few words of JavaScript.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { projectRoot } from "./entries.ts";
import { buildPermissions, withoutProto } from "./permissions.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-permissions-"));
const path = (name: string) => join(folder, name);
for (const name of ["keys", "more", "compiled", "elsewhere"]) {
  mkdirSync(path(name));
  writeFileSync(path(`${name}/file`), "content");
}
for (const name of ["sluice.json", "token", "neighbour"]) writeFileSync(path(name), "content");
afterAll(() => rmSync(folder, { recursive: true }));

const environment = {
  SLUICE_CONFIG: path("sluice.json"),
  SLUICE_VAULT_TOKEN_FILE: path("token"),
  SLUICE_KEYRING_FOLDER: path("keys"),
  SLUICE_READ_FOLDERS: path("more"),
  NODE_COMPILE_CACHE: path("compiled"),
};

/** Returns, for each expression, what it gave or the code of its error. One process tries all of them. */
function tryAll(expressions: readonly string[]): readonly string[] {
  const words = [withoutProto, ...buildPermissions(environment, projectRoot)];
  const tried = expressions.map((expression) => `(() => { try { return String(${expression}) } catch (error) { return error.code } })()`);
  const code = `console.log(JSON.stringify([${tried.join(", ")}]))`;
  return JSON.parse(spawnSync(process.execPath, [...words, "--eval", code], { encoding: "utf8", env: {} }).stdout);
}

const refused = "ERR_ACCESS_DENIED";
const read = (file: string) => `fs.readFileSync(${JSON.stringify(file)}, "utf8").length > 0`;
const write = (file: string) => `fs.writeFileSync(${JSON.stringify(file)}, "x")`;

const cases = [
  ["reads no file beside those that are named", read(path("neighbour")), refused],
  ["reads no file of the machine", read("/etc/passwd"), refused],
  ["reads no file by a link to the root", read(join("/proc/self", "root", "etc/passwd")), refused],
  ["does not read the variables of its process", read("/proc/self/environ"), refused],
  ["reads the configuration", read(path("sluice.json")), "true"],
  ["reads a secret that a variable names", read(path("token")), "true"],
  ["reads a folder of SLUICE_READ_FOLDERS", read(path("more/file")), "true"],
  ["reads the image's own files", read(join(projectRoot, "package.json")), "true"],
  ["reads how hosts are found", read("/etc/hosts"), "true"],
  ["reads the metrics of its process", 'fs.readdirSync("/proc/self/fd").length > 0', "true"],
  ["does not write to its own files", write(join(projectRoot, "infra", "image", "written")), refused],
  ["does not write to the configuration", write(path("sluice.json")), refused],
  ["does not write to a folder that it may read", write(path("more/written")), refused],
  ["writes to the local keyring", write(path("keys/written")), "undefined"],
  ["starts no process", 'child_process.spawnSync(process.execPath, ["--version"])', refused],
  ["starts no thread", 'new worker_threads.Worker("", { eval: true })', refused],
  ["loads no compiled addon", 'process.dlopen({ exports: {} }, "/lib/x.node")', "ERR_DLOPEN_DISABLED"],
  ["has no way to a prototype by a member's name", "({}).__proto__", "undefined"],
] as const;

describe("a service's process in the image", () => {
  const gave = tryAll(cases.map(([, expression]) => expression));

  it.each(cases.map(([name, expression, expected], index) => [name, expression, expected, gave[index]] as const))(
    "%s: %s gives %s",
    (_name, _expression, expected, actual) => {
      expect(actual).toBe(expected);
    },
  );
});
