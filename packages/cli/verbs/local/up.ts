// `./sluice up`: starts servers and every service, unless they are up.

import { chosenConfiguration, configurationOption } from "./configuration-option.ts";
import { describeUp, readUpState } from "./up-state.ts";
import type { Verb } from "../../terminal/verb.ts";

export const upVerb: Verb = {
  name: "up",
  summary: "starts servers and services in the background; data is kept between runs",
  arguments: [],
  options: {
    config: configurationOption,
  },
  notes: ["Logs and data are in .sluice/up; addresses are printed. Called again it prints what is up."],
  examples: ["up", "up --config sluice.yaml"],
  async run(call) {
    const present = await readUpState();
    if (present === null) {
      const { startUp } = await import("./start-up.ts");
      await startUp(chosenConfiguration(call));
      return 0;
    }
    process.stderr.write("sluice: is up already (./sluice down stops it)\n");
    process.stdout.write(`${describeUp(present)}\n`);
    return 0;
  },
};
