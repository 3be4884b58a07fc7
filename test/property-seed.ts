// Lets properties draw the same values in every run, so that a failure points to the change at hand.
// SLUICE_SEED=<number> draws other values.

import { configureGlobal } from "fast-check";

const seedDefault = 20_261_121;
configureGlobal({ seed: Number(process.env["SLUICE_SEED"] ?? seedDefault) });
