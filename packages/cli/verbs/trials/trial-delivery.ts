// `./sluice trial delivery`, with or without `--outage`: parses its options, and runs the trial in the terminal.

import { machineTime } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { formatDeliveryTrialReport, formatOutageReport, runDeliveryTrial, runOutageTrial } from "@sluice/trials";
import { readWhole } from "./whole-number.ts";
import type { RunVerb } from "../../terminal/verb.ts";

const seedMax = 2 ** 31;
const seedsDrawn = 1_000_000;
const messagesDefault = 100_000;
const messagesMin = 1_000;
const messagesMax = 1_000_000;
const waitingDefault = 100_000;
const waitingMin = 1_000;
const waitingMax = 5_000_000;
const exitUsage = 2;

export const trialDelivery: RunVerb = async (call) => {
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / 1_000) % seedsDrawn), 0, seedMax);
  const messages = readWhole(call.value("messages") ?? String(messagesDefault), messagesMin, messagesMax);
  const waiting = readWhole(call.value("waiting") ?? String(waitingDefault), waitingMin, waitingMax);
  if (seed === null || messages === null || waiting === null) {
    const bounds = `--messages one from ${messagesMin} to ${messagesMax}, --waiting one from ${waitingMin} to ${waitingMax}`;
    process.stderr.write(`sluice: trial delivery: --seed is a whole number, ${bounds}\n`);
    return exitUsage;
  }
  const environment = process.env;
  if (call.flag("outage")) {
    const run = (say: (text: string) => void, signal: AbortSignal) => runOutageTrial({ seed, waiting, say, signal, environment });
    return await runInTerminal(call.flag("json"), run, formatOutageReport);
  }
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runDeliveryTrial({ seed, messages, isKept: call.flag("keep"), say, signal, environment }),
    formatDeliveryTrialReport,
  );
};
