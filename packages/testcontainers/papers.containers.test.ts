// What the built image has: nothing that its papers do not name, and no more than its bound.

import { GenericContainer, type StartedTestContainer } from "testcontainers";
import { expect, test } from "vitest";

const image = process.env["SLUICE_IMAGE"] ?? "sluice:latest";
/** What the image adds to its runtime base, in bytes: with a base of 6 MB it then has 180 MB at most. */
const addedBytesMax = 174_000_000;
/** What the build puts into the image. */
const added = ["/app", "/compiled", "/papers", "/usr/local/bin/node"];

interface Contents {
  readonly bytes: number;
  readonly installed: readonly string[];
  readonly named: readonly string[];
  readonly noticed: readonly string[];
}

/** Runs in the container, whose own code lists what is installed. */
const look = `
  import { lstatSync, readdirSync, readFileSync } from "node:fs";
  import { findInstalledPackages } from "/app/infra/image/installed-packages.ts";
  const bytesOf = (path) => {
    const entry = lstatSync(path);
    return entry.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + bytesOf(path + "/" + name), 0) : entry.size;
  };
  const manifests = findInstalledPackages("/app").map((folder) => JSON.parse(readFileSync(folder + "/package.json", "utf8")));
  const notices = readFileSync("/papers/THIRD-PARTY-NOTICES.txt", "utf8");
  console.log(JSON.stringify({
    bytes: ${JSON.stringify(added)}.reduce((sum, path) => sum + bytesOf(path), 0),
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

test("the image keeps to its size, and its papers name every package in it and no other", async () => {
  const { bytes, installed, named, noticed } = await readContents();
  console.info(`the image adds ${Math.round(bytes / 1_000_000)} MB to its base`);
  expect(bytes).toBeLessThan(addedBytesMax);
  expect(installed).toContainEqual(expect.stringMatching(/^kafkajs@/));
  expect(named.toSorted()).toEqual(installed.toSorted());
  expect(noticed.map((line) => line.replace(" ", "@")).toSorted()).toEqual(installed.toSorted());
});
