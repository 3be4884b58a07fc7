// Finds the tools that the servers need: a JDK (17 or newer) and, until their packages are installed, Maven. One
// message lists everything missing, with the command that installs it.

import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Fault } from "@sluice/kernel";

export interface JavaTools {
  readonly java: string;
  readonly javac: string;
  /** Version as reported by Java, such as 17.0.15. */
  readonly version: string;
}

const run = promisify(execFile);
const javaMajorMin = 17;

/** Throws Fault `servers.missing-tools`. */
export async function findJava(environment: NodeJS.ProcessEnv): Promise<JavaTools> {
  const java = await findProgram("java", environment);
  if (java === null) throw missing(["Java is not installed"]);
  const version = await javaVersion(java);
  if (version === null || Number(/^\d+/.exec(version)?.[0] ?? 0) < javaMajorMin) {
    throw missing([`Java ${javaMajorMin} or newer is needed, and ${java} is ${version ?? "of an unknown version"}`]);
  }
  const sibling = join(dirname(await realpath(java)), "javac");
  const javac = (await answers(sibling, ["-version"])) ? sibling : await findProgram("javac", environment);
  if (javac === null) throw missing(["the Java compiler (javac, a JDK) is not installed"]);
  return { java, javac, version };
}

/** Throws Fault `servers.missing-tools`. */
export async function findMaven(environment: NodeJS.ProcessEnv): Promise<string> {
  const maven = await findProgram("mvn", environment);
  if (maven === null) throw missing(["Maven is not installed"]);
  return maven;
}

async function findProgram(name: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const home = environment["JAVA_HOME"];
  const folders = [...(home === undefined || home === "" ? [] : [join(home, "bin")]), ...(environment["PATH"] ?? "").split(delimiter)];
  for (const folder of folders.filter((entry) => entry !== "")) {
    const program = join(folder, name);
    if (await answers(program, ["-version"])) return program;
  }
  return null;
}

async function answers(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, [...args]).then(
    () => true,
    () => false,
  );
}

async function javaVersion(java: string): Promise<string | null> {
  const { stderr } = await run(java, ["-version"]);
  return /version "([^"]+)"/.exec(stderr)?.[1] ?? null;
}

function missing(problems: readonly string[]): Fault {
  const text = [
    `Sluice's local servers cannot run: ${problems.join("; ")}.`,
    "On Debian or Ubuntu: sudo apt-get install -y default-jdk-headless maven",
    "Or give addresses of servers of your own in KAFKA_BROKERS, SCHEMA_REGISTRY_URL and MONGO_URL.",
  ].join("\n");
  return new Fault("servers.missing-tools", text, { isRetryable: false });
}
