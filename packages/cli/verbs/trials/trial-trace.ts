// `./sluice trial trace`: takes one debit to its end in one process, and prints its trace.

import { machineRandom } from "@sluice/kernel";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

export const trialTraceVerb: Verb = {
  name: "trial trace",
  summary: "takes one debit to its end in one process, and prints its trace from the bank's call to the last posting",
  arguments: [],
  options: { json: jsonOption },
  notes: ["Needs no server: a small collector takes the spans by OTLP over HTTP."],
  examples: ["trial trace"],
  async run(call) {
    const { formatTrace, traceDebit } = await import("@sluice/sandbox");
    const debit = await traceDebit(machineRandom, new AbortController().signal);
    process.stdout.write(`${call.flag("json") ? JSON.stringify(debit, null, 2) : formatTrace(debit)}\n`);
    return 0;
  },
};
