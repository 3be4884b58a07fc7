// The servers' packages, brought once: jars by Maven from one pinned pom, LocalMongo compiled, Kafka's storage formatted as a
// template (a second of every start saved). All lies in one folder named by a hash of what it is made from.
//
// 1. A folder under its final name is complete: it is built under another name and renamed.
// 2. Two processes may install at once; one wins, the other takes the winner's.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/runtime";
import { findMaven } from "./java-tools.ts";
import type { JavaTools } from "./java-tools.ts";
import { kafkaProperties } from "./kafka-server.ts";
import { isAlive } from "./process-identity.ts";

export interface Installed {
  /** Class path of Kafka and LocalMongo. */
  readonly libs: string;
  readonly classes: string;
  readonly registryJar: string;
  /** Formatted Kafka storage, to be copied. */
  readonly kafkaTemplate: string;
  /** For class-data archives of this Java; see `server-process.ts`. */
  archive(server: string): string;
}

export type Progress = (text: string) => void;

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Raised when what lies where in an installed folder changes, or how the template is formatted. */
const layoutVersion = "1";

/** `parent` is an ignored folder of the project. Throws Fault `servers.missing-tools` or `servers.not-installed`. */
export async function install(parent: string, tools: JavaTools, environment: NodeJS.ProcessEnv, progress: Progress): Promise<Installed> {
  const hash = createHash("sha256").update(layoutVersion);
  for (const name of ["pom.xml", "java/LocalMongo.java"]) hash.update(await readFile(source(name)));
  const folder = join(parent, hash.digest("hex").slice(0, 12));
  if (!(await exists(folder))) await build(parent, folder, tools, environment, progress);
  return {
    libs: join(folder, "libs", "*"),
    classes: join(folder, "classes"),
    registryJar: join(folder, "registry", "apicurio-registry-app-3.0.9-runner.jar"),
    kafkaTemplate: join(folder, "kafka-template"),
    archive: (server) => join(folder, `${server}-${tools.version}.jsa`),
  };
}

async function build(parent: string, folder: string, tools: JavaTools, environment: NodeJS.ProcessEnv, progress: Progress): Promise<void> {
  const maven = await findMaven(environment);
  await removeAbandoned(parent);
  const partial = `${folder}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    progress("bringing the servers' packages by Maven (about 160 MB, once)");
    await bringPackages(maven, partial, environment, progress);
    progress("compiling and formatting");
    await runTool(tools.javac, ["--release", "17", "-cp", "libs/*", "-d", "classes", source("java/LocalMongo.java")], partial);
    await writeFile(
      join(partial, "template.properties"),
      kafkaProperties({ brokerPort: 9092, controllerPort: 9093, logDirectory: "kafka-template" }),
    );
    const format = ["-cp", "libs/*", "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", "template.properties"];
    await runTool(tools.java, ["-XX:TieredStopAtLevel=1", ...format], partial);
    await rename(partial, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** The same for every local cluster: what tells them apart is their address. */
const clusterId = "c2x1aWNlLWxvY2FsLTAwMQ";

async function bringPackages(maven: string, partial: string, environment: NodeJS.ProcessEnv, progress: Progress): Promise<void> {
  const child = spawn(maven, ["-B", "-f", source("pom.xml"), `-Dinto=${partial}`, "package"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let files = 0;
  const errors: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    if (line.startsWith("[ERROR]") && errors.length < 3) errors.push(line.slice("[ERROR] ".length).slice(0, 600));
    if (!line.includes("Downloaded from")) return;
    files += 1;
    if (files % 25 === 0) progress(`bringing the servers' packages: ${files} files`);
  });
  child.stderr.resume();
  const code = await ended(child);
  if (code !== 0) throw notInstalled(`Maven ended with ${code}`, errors.join("\n"));
}

async function runTool(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4000)));
  const code = await ended(child);
  if (code !== 0) throw notInstalled(`${program} ended with ${code}`, output);
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

function notInstalled(what: string, output: string): Fault {
  return new Fault("servers.not-installed", `The servers' packages could not be brought: ${what}.\n${output}`, { isRetryable: true });
}

/** Half-built folders of processes that are gone. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = /\.partial-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || (await isAlive({ pid: Number(pid), host: hostname(), startedAt: null }))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
