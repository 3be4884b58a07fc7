// `./sluice down`: stops what `up` has started.

import { stopRecordedProcesses } from "@sluice/local-servers/running-record";
import { upDirectory } from "./up-state.ts";
import { jsonOption, type Verb, type VerbCall } from "../../terminal/verb.ts";

export const downVerb: Verb = {
  name: "down",
  summary: "stops what up has started",
  arguments: [],
  options: { json: jsonOption },
  notes: ["Data stays in .sluice/up; remove that folder to start empty."],
  examples: ["down"],
  run: (call) => runDown(call, upDirectory, (text) => void process.stdout.write(`${text}\n`)),
};

export async function runDown(call: Pick<VerbCall, "flag">, directory: string, out: (text: string) => void): Promise<number> {
  const stopped = await stopRecordedProcesses(directory);
  const text = stopped.length === 0 ? "sluice: nothing was up" : `sluice: stopped ${stopped.join(", ")}`;
  out(call.flag("json") ? JSON.stringify({ schema: "Down", stopped }, null, 2) : text);
  return 0;
}
