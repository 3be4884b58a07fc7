// The setting of the documentation site that the console serves.

import { optionalSetting, text } from "./setting-types.ts";

export const helpSettings = {
  SLUICE_HELP_FOLDER: optionalSetting(text).describe(
    "Folder of the documentation site, as `./sluice docs` builds it; the console serves it below `/help`. Without it there is none.",
  ),
} as const;
