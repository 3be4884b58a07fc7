// `./sluice analytics up`: starts the worker that copies the topics of analysts into tables.

import { analyticsFolders } from "./analytics-folders.ts";
import { Fault } from "@sluice/kernel";
import { isSecured, requireUpState } from "../local/up-state.ts";
import type { Verb } from "../../terminal/verb.ts";

export const analyticsUpVerb: Verb = {
  name: "analytics up",
  summary: "copies the topics of analysts into Iceberg tables, by a Kafka Connect worker beside what is up",
  arguments: [],
  options: {},
  notes: [
    "Needs Java 17 and, the first time, Maven. The tables are in .sluice/analytics/worker/lake.",
    "Called again it starts the worker again, which goes on where it was.",
  ],
  examples: ["analytics up"],
  async run() {
    const state = await requireUpState(["kafka", "registry"]);
    if (isSecured(state))
      throw new Fault("cli.secured", "the worker has no login yet: ./sluice up without --secured", { isRetryable: false });
    const { kafkaBrokers, schemaRegistryUrl } = state;
    const { lakeFolder, startWorker } = await import("@sluice/analytics");
    const progress = (text: string): void => void process.stderr.write(`sluice: ${text}\n`);
    const { packages, worker: directory } = analyticsFolders;
    await startWorker({ kafkaBrokers, schemaRegistryUrl, directory, packages, progress });
    process.stdout.write(`the worker runs; its tables are in ${lakeFolder(directory)}\nask them: ./sluice analytics ask\n`);
    return 0;
  },
};
