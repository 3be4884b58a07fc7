// `./sluice down`: stops what `up` has started.

import { stopRecordedProcesses } from "@sluice/local-servers";
import { upDirectory } from "./up-state.ts";
import type { RunVerb } from "../../terminal/verb.ts";

export const down: RunVerb = async () => {
  const stopped = await stopRecordedProcesses(upDirectory);
  process.stdout.write(stopped.length === 0 ? "sluice: nothing was up\n" : `sluice: stopped ${stopped.join(", ")}\n`);
  return 0;
};
