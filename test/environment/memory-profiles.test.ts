import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryProfileNames, readLocalMemoryProfile, readMemoryTable } from "./memory-profiles.ts";
import { serviceNames } from "./processes.ts";
import { projectRoot } from "./run-program.ts";

describe.each(serviceNames)("the memory profiles of %s", (service) => {
  it("are a small and a large one, and local runs have one of them", async () => {
    const table = await readMemoryTable(service);
    expect(Object.keys(table.profiles)).toEqual([...memoryProfileNames]);
    expect(await readLocalMemoryProfile(service)).toEqual(table.profiles[table.localProfile]);
    const [small, large] = memoryProfileNames.map((name) => youngMiB(table.profiles[name].nodeArguments));
    expect(small).toBeLessThan(large!);
  });

  it("let the service give back what only its start needed", async () => {
    const { profiles } = await readMemoryTable(service);
    for (const { nodeArguments } of Object.values(profiles)) expect(nodeArguments).toContain("--expose-gc");
  });

  it("have arguments that Node knows", async () => {
    const { profiles } = await readMemoryTable(service);
    for (const { nodeArguments, environment } of Object.values(profiles)) {
      // With an unknown one it ends at once.
      const said = execFileSync(process.execPath, [...nodeArguments, "-p", "1"], { env: environment, encoding: "utf8", stdio: "pipe" });
      expect(said).toBe("1\n");
    }
  });

  it("stand on the service's page, each with its measured figure or the word that there is none", async () => {
    const page = readFileSync(join(projectRoot, "services", service, "README.md"), "utf8");
    const { localProfile, profiles } = await readMemoryTable(service);
    for (const name of memoryProfileNames) {
      const { nodeArguments, residentMiB } = profiles[name];
      const cells = [
        name === localProfile ? `${name} (local runs)` : name,
        `\`${nodeArguments.join(" ")}\``,
        residentMiB === null ? "not measured" : `${residentMiB} MiB`,
      ];
      expect(page).toContain(`| ${cells.join(" | ")} |`);
    }
  });
});

function youngMiB(nodeArguments: readonly string[]): number {
  const [argument = ""] = nodeArguments.filter((one) => one.startsWith("--max-semi-space-size="));
  return Number(argument.split("=")[1]);
}
