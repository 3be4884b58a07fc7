// The folder of the documentation site, as a need of the console.

import type { Need } from "./needs.ts";

export const helpFolder: Need<string | null, "SLUICE_HELP_FOLDER"> = {
  variables: ["SLUICE_HELP_FOLDER"],
  open: ({ environment }) => environment.SLUICE_HELP_FOLDER,
};
