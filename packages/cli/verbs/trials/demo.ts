// `./sluice demo`: the demo reads the values of its options itself.

import { serviceNames } from "@sluice/environment/processes";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

export const demoVerb: Verb = {
  name: "demo",
  summary: "plays a whole business day with simulated banks on real servers, and checks it",
  arguments: [],
  options: {
    kill: {
      type: "string",
      placeholder: "SERVICE",
      text: "kills it in the middle and starts it again after a second",
      choices: serviceNames,
    },
    debits: { type: "string", placeholder: "N", text: "good debits in addition to the special ones, 1 to 5000 (200)" },
    "in-memory": { type: "boolean", text: "in one process over memory, as it does by itself where Java is missing" },
    secured: { type: "boolean", text: "with TLS, users with few rights for each service, and sealed personal data" },
    stay: { type: "boolean", text: "leaves everything up after the verdict, with three tasks to try in the console; Ctrl-C ends it" },
    keep: { type: "boolean", text: "keeps the run's directory: logs, configuration, history" },
    json: jsonOption,
  },
  examples: ["demo", "demo --stay", "demo --kill scheduler"],
  run: async (call) => (await import("@sluice/demo")).runDemo(call.raw),
};
