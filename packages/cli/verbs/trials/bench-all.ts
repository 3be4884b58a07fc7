// `./sluice bench`, or `bench all`: every bench with a goal, and the table of goals.

import { runInTerminal } from "./trial-terminal.ts";
import { shortOption } from "./bench-options.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

export const benchAllVerb: Verb = {
  name: "bench all",
  summary: "every bench that has a goal, one after another, and the goals beside what was measured",
  arguments: [],
  options: { short: shortOption, json: jsonOption },
  notes: [
    "Takes about an hour and a half, or twenty minutes with --short. With --json the report has each bench's own report too.",
    "Exit 0 if all benches ran to their end, whether or not their goals are reached.",
  ],
  examples: ["bench --short", "bench all --json"],
  run: async (call) => {
    const { formatAllReport, runAllBenches } = await import("@sluice/benches");
    return await runInTerminal(
      call.flag("json"),
      (say, signal) => runAllBenches({ isShort: call.flag("short"), say, signal, environment: process.env }),
      formatAllReport,
    );
  },
};
