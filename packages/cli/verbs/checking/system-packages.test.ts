import { expect, test } from "vitest";
import { bringSystemPackages, type SystemPorts, type WantedParts } from "./system-packages.ts";

const everything: WantedParts = { needsServers: true, needsBrowser: true };

/** A system with these programs; what is installed becomes a program, unless `isBroken`. */
function createSystem(programs: readonly string[], given: Partial<SystemPorts> & { readonly isBroken?: true } = {}) {
  const there = new Set(programs);
  const ran: string[] = [];
  const ports: SystemPorts = {
    hasProgram: (name) => there.has(name),
    isRoot: true,
    ask: null,
    run(words) {
      ran.push(words.join(" "));
      if (given.isBroken !== true) for (const name of ["javac", "mvn", "chromium"]) there.add(name);
      return Promise.resolve(given.isBroken === true ? 100 : 0);
    },
    progress: () => {},
    ...given,
  };
  return { ports, ran };
}

test("where all is there nothing is installed, and nothing is asked", async () => {
  const { ports, ran } = createSystem(["apt-get", "javac", "mvn", "google-chrome"], { ask: () => Promise.reject(new Error("asked")) });
  await bringSystemPackages(everything, ports);
  expect(ran).toEqual([]);
});

test("without a terminal root installs what is missing, and only for the parts that run", async () => {
  const debian = createSystem(["apt-get", "mvn"]);
  await bringSystemPackages(everything, debian.ports);
  expect(debian.ran).toEqual(["apt-get install -y -qq --no-install-recommends default-jdk-headless chromium"]);
  const fedora = createSystem(["dnf"]);
  await bringSystemPackages({ needsServers: false, needsBrowser: true }, fedora.ports);
  expect(fedora.ran).toEqual(["dnf install -y -q chromium"]);
});

test("a person at a terminal is asked: yes installs, by sudo where it is needed; anything else ends with the command", async () => {
  const asked: string[] = [];
  const answer = (typed: string) => (question: string) => Promise.resolve((asked.push(question), typed));
  const yes = createSystem(["apt-get", "javac"], { isRoot: false, ask: answer("y") });
  await bringSystemPackages({ needsServers: true, needsBrowser: false }, yes.ports);
  expect(yes.ran).toEqual(["sudo apt-get install -y -qq --no-install-recommends maven"]);
  const no = createSystem(["brew", "javac"], { isRoot: false, ask: answer("") });
  await expect(bringSystemPackages({ needsServers: true, needsBrowser: false }, no.ports)).rejects.toMatchObject({
    code: "cli.missing-packages",
    message: "Maven is missing: brew install -q maven",
  });
  expect([asked[0], no.ran]).toEqual(["Maven is missing. Install it now? [y/N] ", []]);
});

test.each([
  ["nobody can be asked and this user may not", ["apt-get"], { isRoot: false }, "sudo apt-get install"],
  ["no package manager is known", [], {}, "no package manager is known here"],
  ["the installation fails", ["apt-get"], { isBroken: true }, "ended with 100"],
] as const)("where %s the run ends before it begins, and says why", async (_where, programs, given, text) => {
  const { ports } = createSystem(programs, given);
  await expect(bringSystemPackages(everything, ports)).rejects.toThrow(text);
});
