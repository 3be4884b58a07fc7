// `./sluice config check`: prints everything that is wrong with a configuration file.

import { readFile } from "node:fs/promises";
import { Fault } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const [file = ""] = call.positionals;
  const text = await readFile(file, "utf8").catch(() => {
    throw new Fault("cli.unfit-file", `${file} cannot be read`, { isRetryable: false });
  });
  const { readConfiguration } = await import("@sluice/config");
  const reading = readConfiguration(text, process.env, Temporal.Now.plainDateISO().toString());
  const problems = reading.ok ? [] : reading.problems;
  if (call.flag("json"))
    process.stdout.write(`${JSON.stringify({ schema: "ConfigurationCheck", file, ok: reading.ok, problems }, null, 2)}\n`);
  else if (reading.ok) process.stdout.write(`${file}: good; version ${reading.configuration.version}, ${count(reading.configuration)}\n`);
  else process.stdout.write(problems.map(({ path, text }) => `${file}: ${path === "" ? "" : `${path}: `}${text}\n`).join(""));
  return reading.ok ? 0 : 1;
};

export const configCheckVerb: Verb = {
  name: "config check",
  summary: "reports everything that is wrong with a configuration file, each with its path",
  arguments: [{ placeholder: "FILE", text: "the configuration file", completes: "files" }],
  options: { json: jsonOption },
  notes: ["${NAME} in the file is read from the environment, as by the services."],
  examples: ["config check infra/local/sluice.yaml"],
  run,
};

function count({ banks, schemes }: { readonly banks: readonly unknown[]; readonly schemes: readonly unknown[] }): string {
  return `${banks.length} bank${banks.length === 1 ? "" : "s"}, ${schemes.length} scheme${schemes.length === 1 ? "" : "s"}`;
}
