// `./sluice generate`: runs every generator in the order in which they need each other. Each is a process of its own,
// because golden files and documents follow from code that the first one writes.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";
import type { Verb, VerbCall } from "../../terminal/verb.ts";

/** The generators of tools/generate in their order, each with the options that it takes. */
const generators = [
  { program: "wire/contracts.ts", takes: ["check", "new-version", "rewrite-unreleased"] },
  { program: "wire/golden.ts", takes: ["check"] },
  { program: "docs/documents.ts", takes: ["check"] },
  { program: "docs/settings.ts", takes: ["check"] },
  { program: "docs/rights.ts", takes: ["check"] },
  { program: "docs/store-rights.ts", takes: ["check"] },
  { program: "docs/asvs.ts", takes: ["check"] },
  { program: "docs/fapi.ts", takes: ["check"] },
  { program: "docs/attacks.ts", takes: ["check"] },
  { program: "docs/matrix.ts", takes: ["check"] },
  { program: "docs/conformance.ts", takes: ["check"] },
  { program: "infra/slos.ts", takes: ["check"] },
  { program: "infra/dashboards.ts", takes: ["check"] },
  { program: "infra/chart.ts", takes: ["check"] },
] as const;

export const generateVerb: Verb = {
  name: "generate",
  summary:
    "makes everything that is generated: types, versions and golden files, documents, settings, conformance page, chart's alarm rules, editors' schema",
  arguments: [],
  options: {
    check: { type: "boolean", text: "writes nothing and names what is stale" },
    "new-version": { type: "boolean", text: "adds a version of each record whose schema has changed" },
    "rewrite-unreleased": { type: "boolean", text: "changes the newest version of such a record if it is not released" },
  },
  examples: ["generate", "generate --check"],
  run: generate,
};

async function generate(call: VerbCall): Promise<number> {
  const { generateConfigSchema } = await import("@sluice/config/generate");
  if (!call.flag("check")) generateConfigSchema(projectRoot);
  let exitCode = 0;
  for (const { program, takes } of generators) {
    const options = takes.filter((option) => call.flag(option)).map((option) => `--${option}`);
    const { status } = spawnSync(process.execPath, [join(projectRoot, "tools", "generate", program), ...options], {
      cwd: projectRoot,
      stdio: "inherit",
    });
    if (status !== 0) exitCode = 1;
    // What follows would be made from code that is not there.
    if (status !== 0 && !call.flag("check")) break;
  }
  return exitCode;
}
