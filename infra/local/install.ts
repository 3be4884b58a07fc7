// Installs the servers' packages once: jars by Maven from one pinned pom, the local store compiled, and Kafka's storage
// formatted as a template (which saves a second of every start). All of it is in one folder whose name is a hash of its
// sources (`maven-packages.ts`).

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findMaven, type JavaTools } from "./java-tools.ts";
import { buildFolder, downloadPackages, notInstalled, type ReportProgress, waitForExit } from "./maven-packages.ts";
import { kafkaProperties } from "./servers/kafka-server.ts";
import type { Installed } from "./servers/server-kind.ts";

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Raised when the layout of an installed folder, or the format of the template, changes. */
const layoutVersion = "1";

const what = "the servers' packages";
const javaSources = ["java/LocalMongo.java", "java/GuardedBackend.java", "java/Scram.java"] as const;

/** `parent` is an ignored folder of the project. Throws Fault `servers.missing-tools` or `servers.not-installed`. */
export async function installServers(
  parent: string,
  tools: JavaTools,
  environment: NodeJS.ProcessEnv,
  progress: ReportProgress,
): Promise<Installed> {
  const hash = createHash("sha256").update(layoutVersion);
  for (const name of ["pom.xml", ...javaSources]) hash.update(await readFile(source(name)));
  const folder = join(parent, hash.digest("hex").slice(0, 12));
  await buildFolder(parent, folder, (partial) => fill(partial, tools, environment, progress));
  return {
    libs: join(folder, "libs", "*"),
    classes: join(folder, "classes"),
    registryJar: join(folder, "registry", "apicurio-registry-app-3.0.9-runner.jar"),
    kafkaTemplate: join(folder, "kafka-template"),
    archive: (server) => join(folder, `${server}-${tools.version}.jsa`),
  };
}

async function fill(partial: string, tools: JavaTools, environment: NodeJS.ProcessEnv, progress: ReportProgress): Promise<void> {
  const maven = await findMaven(environment);
  progress("downloading the servers' packages by Maven (about 160 MB, once)");
  await downloadPackages({ maven, pom: source("pom.xml"), into: partial, what, environment, progress });
  progress("compiling and formatting");
  await runTool(tools.javac, ["--release", "17", "-cp", "libs/*", "-d", "classes", ...javaSources.map(source)], partial);
  await writeFile(
    join(partial, "template.properties"),
    kafkaProperties({ brokerPort: 9092, controllerPort: 9093, logDirectory: "kafka-template" }),
  );
  const format = ["-cp", "libs/*", "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", "template.properties"];
  await runTool(tools.java, ["-XX:TieredStopAtLevel=1", ...format], partial);
}

/** One id for every local cluster; clusters differ by their address. */
export const clusterId = "c2x1aWNlLWxvY2FsLTAwMQ";

async function runTool(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4000)));
  const code = await waitForExit(child);
  if (code !== 0) throw notInstalled(what, `${program} ended with ${code}`, output);
}
