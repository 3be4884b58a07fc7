// The option `--config` of the verbs that start Sluice: the configuration file, or the sample of infra/local.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { VerbCall, VerbOption } from "../../terminal/verb.ts";

const sampleFile = fileURLToPath(new URL("../../../../infra/local/sluice.yaml", import.meta.url));

export const configurationOption: VerbOption = {
  type: "string",
  placeholder: "FILE",
  text: "configuration of banks, schemes and windows (infra/local/sluice.yaml)",
  completes: "files",
};

/** The absolute path of the file that the call names, or of the sample. */
export function chosenConfiguration(call: VerbCall): string {
  return resolve(call.value("config") ?? sampleFile);
}
