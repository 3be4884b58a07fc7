// `./sluice analytics down`: stops the worker of `analytics up`.

import { analyticsFolders } from "./analytics-folders.ts";
import type { Verb } from "../../terminal/verb.ts";

export const analyticsDownVerb: Verb = {
  name: "analytics down",
  summary: "stops the worker that copies topics into tables",
  arguments: [],
  options: {},
  notes: ["Tables stay in .sluice/analytics/worker/lake; remove .sluice/analytics/worker to start empty."],
  examples: ["analytics down"],
  async run() {
    const { stopWorker } = await import("@sluice/analytics");
    process.stdout.write((await stopWorker(analyticsFolders.worker)) ? "sluice: stopped the worker\n" : "sluice: no worker runs\n");
    return 0;
  },
};
