// Properties draw the same values in every run, so that a red run says something about the change at hand. Other values: SLUICE_SEED=<number>.

import { configureGlobal } from "fast-check";

const seedDefault = 20_261_121;
configureGlobal({ seed: Number(process.env["SLUICE_SEED"] ?? seedDefault) });
