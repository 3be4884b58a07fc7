// The roles as mongosh would run them, with a database that notes its commands.

import { execFile } from "node:child_process";
import { runInNewContext } from "node:vm";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";
import { buildStoreRoles } from "@sluice/store/rights";
import { expect, test } from "vitest";

async function print(...options: readonly string[]): Promise<string> {
  const words = [join(projectRoot, "packages", "cli", "main.ts"), "provision", "--roles", ...options];
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, words, { env: { ...process.env, SLUICE_DATABASE: "bank" } }, (failure, out, error) => {
      if (failure === null) resolve(out);
      else reject(new Error(error));
    });
  });
}

test("the script creates roles, replaces the privileges of those that exist, and needs no server to be printed", async () => {
  const script = await print("--builds", "2");
  const wanted = buildStoreRoles("bank", 2).map(({ role, privileges }) => ({ role, privileges, roles: [] }));
  const known = new Set<string>(["sluice-console"]);
  const commands: Readonly<Record<string, unknown>>[] = [];
  const database = {
    getRole: (role: string) => (known.has(role) ? { role } : null),
    runCommand: (command: Readonly<Record<string, unknown>>) => void commands.push(structuredClone(command)),
  };
  const asked: string[] = [];
  runInNewContext(script, {
    db: {
      getSiblingDB(name: string) {
        asked.push(name);
        return database;
      },
    },
  });
  expect(asked).toEqual(["bank"]);
  const made = wanted.map(({ role, ...others }) => ({ [known.has(role) ? "updateRole" : "createRole"]: role, ...others }));
  expect(JSON.parse(JSON.stringify(commands))).toEqual(made);
});

test("as JSON it is the same, and a number of builds that is none is refused", async () => {
  expect(JSON.parse(await print("--json"))).toEqual({ schema: "StoreRoles", database: "bank", roles: buildStoreRoles("bank", 32) });
  await expect(print("--builds", "0")).rejects.toThrow("--builds 0: it must be a whole number from 1 to 999");
});
