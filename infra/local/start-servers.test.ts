import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePorts } from "./free-ports.ts";
import { findJava } from "./java-tools.ts";
import { isAlive, isRunningWith, readProcessNote } from "./process-identity.ts";
import { noteProcess, stopRecordedProcesses } from "./running-record.ts";
import { startServers } from "./start-servers.ts";

test("on a machine without Java the error names what is missing and the command that installs it", async () => {
  await expect(findJava({ PATH: "/nowhere" })).rejects.toThrow(/Java is not installed[^]*apt-get install -y default-jdk-headless maven/);
});

test("a Java that is too old is reported with its version", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-java-"));
  await writeFile(join(folder, "java"), `#!/bin/sh\necho 'openjdk version "11.0.2" 2019-01-15' >&2\n`, { mode: 0o755 });
  await expect(findJava({ PATH: folder })).rejects.toThrow("11.0.2");
  await rm(folder, { recursive: true });
});

test("free ports are different, and a wanted port that is free is returned", async () => {
  const [wanted = 0] = await freePorts(1);
  const ports = await freePorts(3, [wanted]);
  expect(new Set(ports).size).toBe(3);
  expect(ports).toContain(wanted);
});

test("a process is the recorded one only if it began at the recorded time", async () => {
  const note = await readProcessNote(process.pid);
  expect(await isAlive(note)).toBe(true);
  expect(await isAlive({ ...note, startedAt: "1" })).toBe(note.startedAt === null);
  expect(await isAlive({ ...note, pid: 0x7ffffffe })).toBe(false);
  expect(await isAlive({ ...note, pid: 0x7ffffffe, host: "another" })).toBe(true);
});

test("data and logs of the servers are their owner's alone, in a new folder and in one that was open to others", async () => {
  const parent = await mkdtemp(join(tmpdir(), "sluice-private-"));
  const environment = { KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: "http://127.0.0.1:1", MONGO_URL: "mongodb://127.0.0.1:1" };
  await mkdir(join(parent, "open"));
  await chmod(join(parent, "open"), 0o755);
  for (const name of ["new", "open"]) {
    const directory = join(parent, name);
    const servers = await startServers({ directory, storage: "file", environment });
    expect([servers.started, (await stat(directory)).mode & 0o777]).toEqual([[], 0o700]);
    await servers.stop();
  }
  await rm(parent, { recursive: true });
});

test("a recorded process id that another program has now is left alone", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sluice-record-"));
  const other = execFile("sleep", ["60"]);
  const pid = other.pid ?? 0;
  noteProcess(directory, { kind: "server", name: "kafka", pid, mark: directory, ports: [1] });
  expect(await stopRecordedProcesses(directory)).toEqual([]);
  expect(await isRunningWith(pid, "sleep")).toBe(true);
  other.kill();
  await rm(directory, { recursive: true });
});
