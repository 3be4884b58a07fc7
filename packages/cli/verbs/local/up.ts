// `./sluice up`: starts servers and every service, or what of them is missing.

import { resolve } from "node:path";
import { configurationOption, sampleFile } from "./configuration-option.ts";
import { describeUp, findUpProcesses, isSecured, membersOfUp, readUpFile } from "./up-state.ts";
import { planUp } from "./up-plan.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const noted = readUpFile();
  const { startMissing, startUp, hashFile } = await import("./start-up.ts");
  const given = call.value("config");
  const plan = planUp({
    processes: await findUpProcesses(),
    notedFile: noted?.configurationFile ?? null,
    givenFile: given === null ? null : resolve(given),
    sampleFile,
    wantsSecured: call.flag("secured"),
    isNotedSecured: isSecured(noted),
    isNotedFileChanged: noted !== null && noted.configurationSha256 !== hashFile(noted.configurationFile),
  });
  for (const line of plan.said) process.stderr.write(`sluice: ${line}\n`);
  const start = async () => {
    if (plan.kind === "start-all" || noted === null) return await startUp(plan.configurationFile, noted, plan.isSecured);
    return plan.kind === "start-services" ? await startMissing(noted, plan.services) : noted;
  };
  const state = await start();
  process.stdout.write(`${call.flag("json") ? JSON.stringify(membersOfUp(state), null, 2) : describeUp(state)}\n`);
  return 0;
};

export const upVerb: Verb = {
  name: "up",
  summary: "starts servers and services in the background; data is kept between runs",
  arguments: [],
  options: {
    config: configurationOption("the one that ran last; at first infra/local/sluice.yaml"),
    secured: { type: "boolean", text: "with TLS everywhere, and a user with few rights for each service" },
    json: jsonOption,
  },
  notes: [
    "Logs and data are in .sluice/up; addresses are printed.",
    "Called again it starts what is missing, with the configuration that ran, and leaves the rest alone.",
    "Another file with --config restarts everything, and says what changes.",
    "--secured makes an authority, certificates and passwords of this machine in .sluice/up/secured. A server that you",
    "already run is reached as your settings say. After ./sluice down it is not secured unless you say so.",
    "It also starts a provider at which two people sign in to the console, unless --config names a file of your own.",
  ],
  examples: ["up", "up --config sluice.yaml", "up --secured"],
  run,
};
