// `./sluice down`: stops what `up` has started.

import { stopRecordedProcesses } from "@sluice/local-servers/running-record";
import { upDirectory } from "./up-state.ts";
import type { Verb } from "../../terminal/verb.ts";

export const downVerb: Verb = {
  name: "down",
  summary: "stops what up has started",
  arguments: [],
  options: {},
  notes: ["Data stays in .sluice/up; remove that folder to start empty."],
  examples: ["down"],
  async run() {
    const stopped = await stopRecordedProcesses(upDirectory);
    process.stdout.write(stopped.length === 0 ? "sluice: nothing was up\n" : `sluice: stopped ${stopped.join(", ")}\n`);
    return 0;
  },
};
