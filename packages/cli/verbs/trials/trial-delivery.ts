// `./sluice trial delivery`, with or without `--outage`: parses its options, and runs the trial in the terminal.

import { machineTime } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const seedMax = 2 ** 31;
const seedsDrawn = 1_000_000;
const messagesDefault = 100_000;
const messagesMin = 1_000;
const messagesMax = 1_000_000;
const waitingDefault = 100_000;
const waitingMin = 1_000;
const waitingMax = 5_000_000;
const receiversMax = 1_000;
const receiversMin = 20;
/** Banks beside the one that is down. */
const outageReceiversDefault = 3;
const poisonMax = 10_000;

const run: RunVerb = async (call) => {
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / 1_000) % seedsDrawn), 0, seedMax);
  const messages = readWhole(call.value("messages") ?? String(messagesDefault), messagesMin, messagesMax);
  const waiting = readWhole(call.value("waiting") ?? String(waitingDefault), waitingMin, waitingMax);
  const receiversLeast = call.flag("outage") ? 1 : receiversMin;
  const receivers = readWhole(call.value("receivers") ?? String(receiversMin), receiversLeast, receiversMax);
  const poison = readWhole(call.value("poison") ?? "0", 0, poisonMax);
  if (seed === null || messages === null || waiting === null || receivers === null || poison === null) {
    const many = `--receivers one from ${receiversLeast} to ${receiversMax}, --poison one from 0 to ${poisonMax}`;
    const bounds = `--messages one from ${messagesMin} to ${messagesMax}, ${many}, --waiting one from ${waitingMin} to ${waitingMax}`;
    process.stderr.write(`sluice: trial delivery: --seed is a whole number, ${bounds}\n`);
    return exitUsage;
  }
  const { formatDeliveryTrialReport, formatOutageReport, runDeliveryTrial, runOutageTrial } = await import("@sluice/trials");
  const environment = process.env;
  if (call.flag("outage")) {
    const others = call.value("receivers") === null ? outageReceiversDefault : receivers - 1;
    const run = (say: (text: string) => void, signal: AbortSignal) =>
      runOutageTrial({ seed, waiting, receivers: others, say, signal, environment });
    return await runInTerminal(call.flag("json"), run, formatOutageReport);
  }
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runDeliveryTrial({ seed, messages, receivers, poison, isKept: call.flag("keep"), say, signal, environment }),
    formatDeliveryTrialReport,
  );
};

export const trialDeliveryVerb: Verb = {
  name: "trial delivery",
  summary: "twenty banks or up to 1,000, some dead, slow or hostile, and kills of dispatcher and event-publisher; verifies every delivery",
  arguments: [],
  options: {
    seed: {
      type: "string",
      placeholder: "N",
      text: "the same seed gives the same messages, profiles and times of kills (one is drawn and printed)",
    },
    messages: {
      type: "string",
      placeholder: "N",
      text: `${messagesMin} or more, five for each UETR (${messagesDefault}: about ten minutes)`,
    },
    receivers: {
      type: "string",
      placeholder: "N",
      text: `how many banks (${receiversMin}, at most ${receiversMax}): a tenth of many is dead, slow, silent, throttling or hostile; with --outage also fewer, down to the one that is down`,
    },
    poison: {
      type: "string",
      placeholder: "N",
      text: "how many messages one more bank answers with 500 for ever, and takes all others (0)",
    },
    keep: { type: "boolean", text: "also keeps history and logs of a good run; those of a bad one are always kept, in .sluice/trial" },
    outage: {
      type: "boolean",
      text: "another trial: one bank is down and many messages wait for it; memory, probes, and the drain when it is back",
    },
    waiting: {
      type: "string",
      placeholder: "N",
      text: `how many messages wait with --outage (${waitingDefault}; a million needs a separate store, by MONGO_URL)`,
    },
    json: jsonOption,
  },
  notes: [
    "Uses the store of MONGO_URL, else a local one; broker and registry are always its own. Asserted: every message acknowledged,",
    "repeats identical, no inversion, nothing lost, and at healthy banks no wait of more than a minute.",
    "Printed: waits by class of bank, memory, and the p99 of healthy banks with and without sick ones.",
  ],
  examples: [
    "trial delivery --seed 1 --messages 20000",
    "trial delivery --receivers 1000 --poison 300",
    "trial delivery --outage --waiting 50000 --receivers 1",
  ],
  run,
};
