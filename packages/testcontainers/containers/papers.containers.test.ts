// What the built image has: nothing that its papers do not name, and no more than its bound.

import { GenericContainer, type StartedTestContainer } from "testcontainers";
import { expect, test } from "vitest";

const image = process.env["SLUICE_IMAGE"] ?? "sluice:latest";
const bytesMax = 180_000_000;
/** What the kernel shows, and the engine brings. */
const notOfTheImage = ["/proc", "/sys", "/dev", "/.dockerenv"];

interface Contents {
  readonly bytes: number;
  readonly programs: readonly string[];
  readonly installed: readonly string[];
  readonly named: readonly string[];
  readonly noticed: readonly string[];
}

/** Runs in the container, whose own code lists what is installed. */
const look = `
  import { constants, lstatSync, readdirSync, readFileSync } from "node:fs";
  import { findInstalledPackages } from "/app/infra/image/installed-packages.ts";
  const filesOf = (path) => {
    if (${JSON.stringify(notOfTheImage)}.includes(path)) return [];
    const entry = lstatSync(path === "" ? "/" : path);
    return entry.isDirectory() ? readdirSync(path === "" ? "/" : path).flatMap((name) => filesOf(path + "/" + name)) : [{ path, entry }];
  };
  const files = filesOf("");
  const manifests = findInstalledPackages("/app").map((folder) => JSON.parse(readFileSync(folder + "/package.json", "utf8")));
  const notices = readFileSync("/papers/THIRD-PARTY-NOTICES.txt", "utf8");
  console.log(JSON.stringify({
    bytes: files.reduce((sum, { entry }) => sum + entry.size, 0),
    programs: files.filter(({ path, entry }) => entry.isFile() && (entry.mode & constants.S_IXUSR) !== 0 && !/^\\/(app|lib|lib64|usr\\/lib)\\//.test(path)).map(({ path }) => path),
    installed: manifests.map(({ name, version }) => name + "@" + version),
    named: JSON.parse(readFileSync("/papers/sbom.json", "utf8")).components
      .filter(({ purl }) => purl.startsWith("pkg:npm/"))
      .map(({ group, name, version }) => (group === undefined ? name : group + "/" + name) + "@" + version),
    noticed: manifests.map(({ name, version }) => name + " " + version).filter((line) => notices.includes(line + "\\n")),
  }));
`;

async function readContents(): Promise<Contents> {
  let log = "";
  const read = (): Contents | null => (log.includes("\n") ? JSON.parse(log.slice(0, log.indexOf("\n"))) : null);
  const container = new GenericContainer(image)
    .withEntrypoint(["/usr/local/bin/node", "--input-type=module", "--eval", look])
    .withLogConsumer((lines) => void lines.on("data", (chunk: unknown) => (log += String(chunk))));
  // It ends by itself, which testcontainers may take for a failed start.
  const started: StartedTestContainer | null = await container.start().catch(() => null);
  try {
    await expect.poll(read, { timeout: 20_000 }).not.toBeNull();
  } finally {
    await started?.stop();
  }
  const contents = read();
  if (contents === null) throw new Error(`the container printed no line: ${log}`);
  return contents;
}

test("the image keeps to its size, has one program, and its papers name every package in it and no other", async () => {
  const { bytes, programs, installed, named, noticed } = await readContents();
  console.info(`the image has ${Math.round(bytes / 1_000_000)} MB`);
  expect(bytes).toBeLessThan(bytesMax);
  // No shell, no package manager.
  expect(programs).toEqual(["/usr/local/bin/node"]);
  expect(installed).toContainEqual(expect.stringMatching(/^kafkajs@/));
  expect(named.toSorted()).toEqual(installed.toSorted());
  expect(noticed.map((line) => line.replace(" ", "@")).toSorted()).toEqual(installed.toSorted());
});
