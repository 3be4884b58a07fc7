import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listSettings } from "@sluice/config/settings-table";
import { expect, test } from "vitest";
import { generateSettings, listServices, readsVariable } from "./settings.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("docs/settings.md agrees with its sources", () => {
  expect(generateSettings(root, true)).toEqual([]);
});

test("a page that is missing is named, and written", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-settings-"));
  mkdirSync(join(copy, "docs"));
  expect(generateSettings(copy, true)).toEqual([expect.stringContaining("docs/settings.md")]);
  expect(generateSettings(copy, false)).toEqual([]);
  rmSync(copy, { recursive: true });
});

test("every setting has a meaning", () => {
  expect(listSettings().filter(({ text }) => text === "")).toEqual([]);
});

/** Runs a service with nothing but ports that are none, and returns the variables of which it complains. */
function complaintsOf(service: string): Promise<ReadonlySet<string>> {
  const env = Object.fromEntries(["SLUICE_HTTP_PORT", "SLUICE_CONSOLE_PORT", "SLUICE_CONTROL_PORT"].map((name) => [name, "none"]));
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, "services", service, "main.ts")], { env }, (_, line) => {
      const { error }: { readonly error: { readonly message: string } } = JSON.parse(line);
      resolve(new Set([...error.message.matchAll(/\b([A-Z_]+):/g)].map(([, name = ""]) => name)));
    });
  });
}

test.each(listServices())("the table says what %s reads", async (service) => {
  const main = readFileSync(join(root, "services", service, "main.ts"), "utf8");
  const complaints = await complaintsOf(service);
  const shown = [
    "KAFKA_BROKERS",
    "SCHEMA_REGISTRY_URL",
    "MONGO_URL",
    "SLUICE_CONFIG",
    "SLUICE_HTTP_PORT",
    "SLUICE_CONSOLE_PORT",
    "SLUICE_CONTROL_PORT",
  ];
  expect([...complaints].toSorted()).toEqual(shown.filter((name) => readsVariable(main, name)).toSorted());
});
