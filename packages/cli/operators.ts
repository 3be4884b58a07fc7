// The operators' command line, a package of its own: what needs a console and nothing of the repository.
// `tools/build/operators-cli.ts` builds it.

import { operatorGroups, shellRows, txRow } from "./operator-verbs.ts";
import { runCommandLine } from "./terminal/command-line.ts";
import type { VerbIndex } from "./terminal/verb-index.ts";

const index: VerbIndex = [
  {
    title: "Start here",
    rows: [
      txRow,
      {
        name: "status",
        line: "partitions, paused banks, days: what is not well",
        load: async () => (await import("./verbs/local/console-status.ts")).consoleStatusVerb,
      },
    ],
  },
  ...operatorGroups,
  { title: "Shell", rows: shellRows },
];

// The reader of the output may leave early (`sluice search | head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runCommandLine(process.argv.slice(2), index);
