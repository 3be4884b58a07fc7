// `./sluice bench delivery`: parses its options, and runs the bench in the terminal.

import { resolve } from "node:path";
import { formatDeliveryBenchReport, runDeliveryBench } from "@sluice/benches";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import type { RunVerb } from "../../terminal/verb.ts";

const services = ["dispatcher", "event-publisher"] as const;
/**
 * Enough messages that the first seconds of a process, in which its code is compiled, hardly count: with 200,000
 * messages they were a tenth of the time.
 */
const messagesDefault = 500_000;
const messagesMax = 1_000_000;
const roundsDefault = 3;
const roundsMax = 100;
const exitUsage = 2;

export const benchDelivery: RunVerb = async (call) => {
  const messages = readWhole(call.value("messages") ?? String(messagesDefault), 1, messagesMax);
  const rounds = readWhole(call.value("rounds") ?? String(roundsDefault), 1, roundsMax);
  const named = call.value("service");
  const wanted = services.filter((service) => named === null || named === service);
  if (messages === null) return refuse(`--messages is a whole number from 1 to ${messagesMax}`);
  if (rounds === null) return refuse(`--rounds is a whole number from 1 to ${roundsMax}`);
  if (wanted.length === 0) return refuse(`--service is one of ${services.join(", ")}`);
  const profile = call.value("profile");
  const profileDirectory = profile === null ? null : resolve(profile);
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runDeliveryBench({ messages, rounds, services: wanted, profileDirectory, say, signal, environment: process.env }),
    formatDeliveryBenchReport,
  );
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench delivery: ${text}\n`);
  return exitUsage;
}
