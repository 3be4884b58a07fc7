// `./sluice tx`: everything that happened to one transaction, from what is up.

import { Fault } from "@sluice/kernel";
import { requireUpState } from "./up-state.ts";
import { jsonOption, uetrArgument, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const [given = ""] = call.positionals;
  const uetr = given.toLowerCase();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uetr)) {
    throw new Fault("cli.no-uetr", `${given} is no UETR (8-4-4-4-12 hex digits)`, { isRetryable: false });
  }
  const up = await requireUpState(["kafka", "registry", "mongo"]);
  const { loadTimeline } = await import("./load-timeline.ts");
  const timeline = await loadTimeline(uetr, up);
  if (timeline === null) throw new Fault("cli.unknown-uetr", `nothing is known of ${uetr}`, { isRetryable: false });
  const { formatTimeline } = await import("@sluice/timeline");
  process.stdout.write(`${call.flag("json") ? JSON.stringify(timeline, null, 2) : formatTimeline(timeline)}\n`);
  return 0;
};

export const txVerb: Verb = {
  name: "tx",
  summary: "the timeline of one transaction: states, messages both ways, attempts, events, offsets, times",
  arguments: [uetrArgument],
  options: { json: jsonOption },
  notes: ["Reads what is up. No account number and no name is shown."],
  examples: ["tx 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60"],
  run,
};
