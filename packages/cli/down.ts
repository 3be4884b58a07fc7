import { stopRecorded } from "@sluice/local-servers";
import { upDirectory } from "./up-state.ts";
import type { RunVerb } from "./verbs.ts";

export const down: RunVerb = async () => {
  const stopped = await stopRecorded(upDirectory);
  process.stdout.write(stopped.length === 0 ? "sluice: nothing was up\n" : `sluice: stopped ${stopped.join(", ")}\n`);
  return 0;
};
