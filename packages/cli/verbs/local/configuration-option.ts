// The option `--config` of the verbs that start Sluice: the configuration file, or the sample of infra/local.

import { fileURLToPath } from "node:url";
import type { VerbOption } from "../../terminal/verb.ts";

export const sampleFile = fileURLToPath(new URL("../../../../infra/local/sluice.yaml", import.meta.url));

/** `otherwise` says which file it is where the call names none. */
export function configurationOption(otherwise: string): VerbOption {
  return {
    type: "string",
    placeholder: "FILE",
    text: `configuration of banks, schemes and windows (${otherwise})`,
    completes: "files",
  };
}
