// `./sluice bench tasks`: runs the tasks of the demo in the terminal.

import { runInTerminal } from "./trial-terminal.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const { formatTasksReport, runTasksBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runTasksBench({ isInMemory: call.flag("in-memory"), environment: process.env, say, signal }),
    formatTasksReport,
  );
};

export const benchTasksVerb: Verb = {
  name: "bench tasks",
  summary: "clicks and seconds of the three tasks that demo --stay gives a stranger, done in Chromium by a script",
  arguments: [],
  options: {
    "in-memory": { type: "boolean", text: "has the demo play in one process over memory" },
    json: jsonOption,
  },
  notes: [
    "It starts the demo itself and ends it. Chromium is Debian's, or the program that SLUICE_CHROMIUM names.",
    "Times are printed, not asserted: they depend on the machine and on its load.",
  ],
  examples: ["bench tasks", "bench tasks --in-memory --json"],
  run,
};
