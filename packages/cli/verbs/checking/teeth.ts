// `./sluice teeth`: plants known bugs, one at a time, and tells which check catches each.

import { availableParallelism } from "node:os";
import { machineTime } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import { runInTerminal } from "../trials/trial-terminal.ts";
import { readWhole } from "../trials/whole-number.ts";

const jobsMax = 16;
const sampleMax = 1_000;
const seedMax = 2 ** 31;
const dayMs = 86_400_000;

const run: RunVerb = async (call) => {
  const { drawBugs, drawFrom, formatTeethReport, plantedBugs, runTeeth } = await import("@sluice/teeth");
  const jobs = readWhole(call.value("jobs") ?? String(Math.ceil(availableParallelism() / 2)), 1, jobsMax);
  const count = readWhole(call.value("sample") ?? String(plantedBugs.length), 1, sampleMax);
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / dayMs)), 0, seedMax);
  const only = call.value("only")?.split(",") ?? null;
  const unknown = (only ?? []).find((id) => plantedBugs.every((bug) => bug.id !== id));
  if (jobs === null || count === null || seed === null || unknown !== undefined) {
    const said = unknown === undefined ? "--jobs, --sample and --seed are whole numbers" : `there is no planted bug ${unknown}`;
    process.stderr.write(`sluice: teeth: ${said}\n`);
    return exitUsage;
  }
  const chosen = plantedBugs.filter(({ id }) => only === null || only.includes(id));
  const bugs = drawBugs(chosen, count, drawFrom(seed));
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runTeeth({ bugs, root: projectRoot, jobs }, say, signal),
    formatTeethReport,
  );
};

export const teethVerb: Verb = {
  name: "teeth",
  summary: "plants known bugs in copies of the tree, one at a time, and tells which check catches each",
  arguments: [],
  options: {
    only: { type: "string", placeholder: "ID,…", text: "only these bugs" },
    sample: { type: "string", placeholder: "N", text: "as many bugs, drawn" },
    seed: { type: "string", placeholder: "N", text: "the same seed draws the same sample (the number of the day)" },
    jobs: { type: "string", placeholder: "N", text: "copies that are worked on at the same time (half of the processors)" },
    json: jsonOption,
  },
  notes: ["The exit code is 1 where a bug survives that is not called harmless, or no longer applies."],
  examples: ["teeth --sample 8", "teeth --only outputs-not-awaited"],
  run,
};
