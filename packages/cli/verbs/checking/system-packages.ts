// What `./sluice test` needs of the system: a JDK and Maven for the servers, Chromium for the console's pages. What is
// missing is brought by the system's package manager.
//
// #1 Where somebody is at the terminal they are asked first. Without a terminal it is installed where this user may,
//    as root. Else the run ends before it begins, with the command to type.
// #2 Nothing is brought for a part that does not run.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { Fault } from "@sluice/kernel";

interface SystemNeed {
  /** Any one of these programs is enough. */
  readonly programs: readonly string[];
  readonly what: string;
  /** The package's name for each manager. */
  readonly packages: Readonly<Record<ManagerName, string>>;
}

const managers = {
  "apt-get": ["apt-get", "install", "-y", "-qq", "--no-install-recommends"],
  dnf: ["dnf", "install", "-y", "-q"],
  brew: ["brew", "install", "-q"],
} as const;
type ManagerName = keyof typeof managers;

const managerNames: readonly ManagerName[] = ["apt-get", "dnf", "brew"];

/** Homebrew refuses to run as root, and needs no rights. */
const asRoot: readonly ManagerName[] = ["apt-get", "dnf"];

const javaNeeds: readonly SystemNeed[] = [
  {
    programs: ["javac"],
    what: "a JDK",
    packages: { "apt-get": "default-jdk-headless", dnf: "java-latest-openjdk-devel", brew: "openjdk" },
  },
  { programs: ["mvn"], what: "Maven", packages: { "apt-get": "maven", dnf: "maven", brew: "maven" } },
];
const browserNeed: SystemNeed = {
  programs: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
  what: "Chromium",
  packages: { "apt-get": "chromium", dnf: "chromium", brew: "chromium" },
};

/** #2 */
export interface WantedParts {
  readonly needsServers: boolean;
  readonly needsBrowser: boolean;
}

export interface SystemPorts {
  readonly hasProgram: (name: string) => boolean;
  readonly isRoot: boolean;
  /** Asks the person; null: nobody is at a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Resolves with the exit code. */
  readonly run: (words: readonly string[]) => Promise<number>;
  readonly progress: (text: string) => void;
}

/** Rejects with Fault `cli.missing-packages` where something stays missing. */
export async function bringSystemPackages({ needsServers, needsBrowser }: WantedParts, ports: SystemPorts): Promise<void> {
  const needs = [...(needsServers ? javaNeeds : []), ...(needsBrowser ? [browserNeed] : [])];
  const missing = needs.filter(({ programs }) => !programs.some(ports.hasProgram));
  if (missing.length === 0) return;
  const names = missing.map(({ what }) => what).join(", ");
  const command = installCommand(missing, ports);
  if (command === null) throw stillMissing(`${names} is missing, and no package manager is known here`);
  const text = command.join(" ");
  if (!(await isAllowed(names, command, ports))) throw stillMissing(`${names} is missing: ${text}`);
  ports.progress(`installs ${names}: ${text}`);
  const code = await ports.run(command);
  const left = missing.filter(({ programs }) => !programs.some(ports.hasProgram));
  if (left.length > 0) throw stillMissing(`${left.map(({ what }) => what).join(", ")} is missing still: ${text} ended with ${code}`);
}

/** Null: there is no manager that is known here. */
function installCommand(missing: readonly SystemNeed[], { hasProgram, isRoot }: SystemPorts): readonly string[] | null {
  const manager = managerNames.find(hasProgram);
  if (manager === undefined) return null;
  const words = [...managers[manager], ...missing.map(({ packages }) => packages[manager])];
  return isRoot || !asRoot.includes(manager) ? words : ["sudo", ...words];
}

/** #1 */
async function isAllowed(names: string, [first]: readonly string[], { ask }: SystemPorts): Promise<boolean> {
  if (ask === null) return first !== "sudo";
  return /^y(es)?$/i.test((await ask(`${names} is missing. Install it now? [y/N] `)).trim());
}

function stillMissing(text: string): Fault {
  return new Fault("cli.missing-packages", text, { isRetryable: false });
}

/** This machine; a person is asked where both ends are a terminal. */
export function machineSystem(progress: (text: string) => void): SystemPorts {
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  return { hasProgram, isRoot: process.getuid?.() === 0, ask: isAsked ? askPerson : null, run: runCommand, progress };
}

function hasProgram(name: string): boolean {
  const home = process.env["JAVA_HOME"] ?? "";
  const folders = [...(home === "" ? [] : [join(home, "bin")]), ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders.some((folder) => folder !== "" && isProgram(join(folder, name)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return await lines.question(question);
}

async function runCommand([program = "", ...words]: readonly string[]): Promise<number> {
  const child = spawn(program, words, {
    stdio: ["inherit", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return await new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
