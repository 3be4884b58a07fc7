// `./sluice config check`: prints everything that is wrong with a configuration file.

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Configuration } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const noVariable = /^the environment has no /;

const run: RunVerb = async (call) => {
  const [file = ""] = call.positionals;
  const text = await readFile(file, "utf8").catch(() => {
    throw new Fault("cli.unfit-file", `${file} cannot be read`, { isRetryable: false });
  });
  const { checkFiles, findLines, readConfiguration } = await import("@sluice/config");
  const reading = readConfiguration(text, process.env, Temporal.Now.plainDateISO().toString());
  const found = reading.ok ? [] : reading.problems;
  const isLeftOut = ({ text: said }: (typeof found)[number]): boolean => call.flag("without-variables") && noVariable.test(said);
  const missing = call.flag("files") ? await checkFiles(text, dirname(file)) : [];
  const unlined = [...found.filter((one) => !isLeftOut(one)), ...missing];
  const lines = findLines(text, unlined);
  const problems = unlined.map((one, index) => ({ ...one, line: lines[index] ?? null }));
  const isGood = problems.length === 0;
  const leftOut = found.filter(isLeftOut).length;
  if (call.flag("json"))
    process.stdout.write(`${JSON.stringify({ schema: "ConfigurationCheck", file, ok: isGood, problems, leftOut }, null, 2)}\n`);
  else if (isGood)
    process.stdout.write(`${file}: good; ${reading.ok ? describe(reading.configuration) : `without ${leftOut} variables`}\n`);
  else
    process.stdout.write(
      problems.map((one) => `${file}:${one.line ?? 1}: ${one.path === "" ? "" : `${one.path}: `}${one.text}\n`).join(""),
    );
  return isGood ? 0 : 1;
};

export const configCheckVerb: Verb = {
  name: "config check",
  summary: "reports everything that is wrong with a configuration file, each with its path",
  arguments: [{ placeholder: "FILE", text: "the configuration file", completes: "files" }],
  options: {
    files: { type: "boolean", text: "also whether each file that it names can be read here" },
    "without-variables": { type: "boolean", text: "leaves out what the environment does not have, as where no secret is" },
    json: jsonOption,
  },
  notes: ["${NAME} in the file is read from the environment, as by the services."],
  examples: ["config check infra/local/sluice.yaml", "config check sluice.yaml --without-variables"],
  run,
};

function describe({ version, banks, schemes }: Pick<Configuration, "version" | "banks" | "schemes">): string {
  const count = `${banks.length} bank${banks.length === 1 ? "" : "s"}, ${schemes.length} scheme${schemes.length === 1 ? "" : "s"}`;
  return `version ${version}, ${count}`;
}
