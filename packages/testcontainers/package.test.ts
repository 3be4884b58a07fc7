// The package as others install it: in a `node_modules` folder, where Node strips no types.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const project = join(folder, "..", "..");
const consumer = `
import { type RunningSluice, SluiceEnvironment } from "@sluice/testcontainers";
const environment: SluiceEnvironment = new SluiceEnvironment().withBank("a", { url: "http://127.0.0.1:1" }).withSource("nowhere");
const started: Promise<RunningSluice> = environment.start();
await started.then(() => process.exit(1), (error: Error) => console.log(error.message.split("\\n")[0]));
`;
const compilerOptions = { module: "nodenext", target: "esnext", strict: true, types: ["node"], skipLibCheck: false };

test("the package installs and runs as JavaScript with types, and has nothing of the tests", async () => {
  await using opened = new AsyncDisposableStack();
  const temporary = await mkdtemp(join(tmpdir(), "sluice-package-"));
  opened.defer(() => rm(temporary, { recursive: true }));
  const modules = join(temporary, "node_modules");
  await mkdir(join(modules, "@sluice", "testcontainers"), { recursive: true });
  const run = (program: string, words: readonly string[], cwd: string) => execFileSync(program, words, { cwd, encoding: "utf8" });
  run(process.execPath, [join(project, "tools", "build", "package.ts"), folder], project);
  const [packed]: readonly { readonly filename: string }[] = JSON.parse(
    run("npm", ["pack", "./dist", "--json", "--pack-destination", temporary], folder),
  );
  run(
    "tar",
    ["-xzf", join(temporary, packed?.filename ?? ""), "--strip-components=1", "-C", join(modules, "@sluice", "testcontainers")],
    temporary,
  );
  const files = await readdir(join(modules, "@sluice", "testcontainers"), { recursive: true });
  expect(files.filter((file) => /test\.|fixture|example/.test(file))).toEqual([]);
  await symlink(join(project, "node_modules", "@types"), join(modules, "@types"));
  await writeFile(join(temporary, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(temporary, "consumer.ts"), consumer);
  await writeFile(join(temporary, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  run(process.execPath, [join(project, "node_modules", "typescript", "bin", "tsc"), "-p", temporary], temporary);
  expect(run(process.execPath, [join(temporary, "consumer.js")], temporary)).toBe("Sluice did not start\n");
});
