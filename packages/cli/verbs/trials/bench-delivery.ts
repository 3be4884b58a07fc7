// `./sluice bench delivery`: parses its options, and runs the bench in the terminal.

import { resolve } from "node:path";
import { runInTerminal } from "./trial-terminal.ts";
import { readSize, shortOption } from "./bench-options.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const services = ["dispatcher", "event-publisher"] as const;
/**
 * Enough messages that the first seconds of a process, in which its code is compiled, hardly count: with 200,000
 * messages they were a tenth of the time.
 */
const messages = { whole: 500_000, short: 100_000, most: 1_000_000 } as const;
const rounds = { whole: 3, short: 1, most: 100 } as const;

const run: RunVerb = async (call) => {
  const messagesAsked = readWhole(readSize(call, "messages", messages), 1, messages.most);
  const roundsAsked = readWhole(readSize(call, "rounds", rounds), 1, rounds.most);
  const named = call.value("service");
  const wanted = services.filter((service) => named === null || named === service);
  if (messagesAsked === null) return refuse(`--messages is a whole number from 1 to ${messages.most}`);
  if (roundsAsked === null) return refuse(`--rounds is a whole number from 1 to ${rounds.most}`);
  const profile = call.value("profile");
  const size = { messages: messagesAsked, rounds: roundsAsked };
  const profileDirectory = profile === null ? null : resolve(profile);
  const { formatDeliveryBenchReport, runDeliveryBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runDeliveryBench({ ...size, services: wanted, profileDirectory, say, signal, environment: process.env }),
    formatDeliveryBenchReport,
  );
};

export const benchDeliveryVerb: Verb = {
  name: "bench delivery",
  summary: "deliveries a second of dispatcher and event-publisher from a full topic, against a bare loop of requests in the same run",
  arguments: [],
  options: {
    messages: { type: "string", placeholder: "N", text: `messages of each round (${messages.whole}; short ${messages.short})` },
    rounds: {
      type: "string",
      placeholder: "N",
      text: `rounds, each with the service between two bare loops (${rounds.whole}; short ${rounds.short})`,
    },
    service: { type: "string", placeholder: "NAME", text: "only this one (both)", choices: services },
    profile: {
      type: "string",
      placeholder: "DIR",
      text: "services write a profile of their processor time there (*.cpuprofile)",
      completes: "folders",
    },
    short: shortOption,
    json: jsonOption,
  },
  notes: [
    "Uses the store of MONGO_URL, else a local one; the broker is always its own. Speeds are printed, not asserted;",
    "asserted is that every message arrived, in order. docs/benchmarks.md explains what is measured.",
  ],
  examples: ["bench delivery --messages 100000 --rounds 1"],
  run,
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench delivery: ${text}\n`);
  return exitUsage;
}
