// Installs the servers' packages once: jars by Maven from one pinned pom, LocalMongo compiled, and Kafka's storage
// formatted as a template (which saves a second of every start). All of it is in one folder whose name is a hash of its
// sources.
//
// #1 A folder under its final name is complete: it is built under another name and renamed.
// #2 Two processes may install at once; one wins, and the other uses the winner's folder.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/kernel";
import { findMaven, type JavaTools } from "./java-tools.ts";
import { kafkaProperties } from "./kafka-server.ts";
import { isAlive } from "./process-identity.ts";
import type { Installed } from "./server-kind.ts";

export type ReportProgress = (text: string) => void;

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Raised when the layout of an installed folder, or the format of the template, changes. */
const layoutVersion = "1";

/** `parent` is an ignored folder of the project. Throws Fault `servers.missing-tools` or `servers.not-installed`. */
export async function installServers(
  parent: string,
  tools: JavaTools,
  environment: NodeJS.ProcessEnv,
  progress: ReportProgress,
): Promise<Installed> {
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

async function build(
  parent: string,
  folder: string,
  tools: JavaTools,
  environment: NodeJS.ProcessEnv,
  progress: ReportProgress,
): Promise<void> {
  const maven = await findMaven(environment);
  await removeAbandoned(parent);
  const partial = `${folder}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    progress("downloading the servers' packages by Maven (about 160 MB, once)");
    await downloadPackages(maven, partial, environment, progress);
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

/** One id for every local cluster; clusters differ by their address. */
export const clusterId = "c2x1aWNlLWxvY2FsLTAwMQ";

async function downloadPackages(maven: string, partial: string, environment: NodeJS.ProcessEnv, progress: ReportProgress): Promise<void> {
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
    if (files % 25 === 0) progress(`downloading the servers' packages: ${files} files`);
  });
  child.stderr.resume();
  const code = await waitForExit(child);
  if (code !== 0) throw notInstalled(`Maven ended with ${code}`, errors.join("\n"));
}

async function runTool(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4000)));
  const code = await waitForExit(child);
  if (code !== 0) throw notInstalled(`${program} ended with ${code}`, output);
}

function waitForExit(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

function notInstalled(what: string, output: string): Fault {
  return new Fault("servers.not-installed", `The servers' packages could not be installed: ${what}.\n${output}`, { isRetryable: true });
}

/** Removes unfinished folders of processes that have ended. */
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
