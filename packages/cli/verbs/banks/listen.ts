// `./sluice listen`: what a sandbox posts to the bank, and forwards it to a port of this machine.

import { Fault } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import { sandboxOption, sandboxUrl } from "./sandbox-option.ts";

const exitInterrupted = 130;

const run: RunVerb = async (call) => {
  const forwardTo = readAddress(call.value("forward"));
  const { sandboxClient } = await import("@sluice/sandbox/client");
  const { runListener } = await import("@sluice/sandbox/listener");
  const { interruptible } = await import("@sluice/environment/interruption");
  using interrupted = interruptible();
  const url = sandboxUrl(call);
  const who = forwardTo === null ? "the sandbox answers" : `${forwardTo} answers${call.flag("events") ? " the events" : ""}`;
  await runListener({
    sandbox: sandboxClient(url),
    forwardTo,
    forwarding: call.flag("events") ? "events" : "all",
    isJson: call.flag("json"),
    out: (line) => void process.stdout.write(`${line}\n`),
    listening: () => void process.stderr.write(`listens to ${url}; ${who}. Ctrl-C ends it.\n`),
    signal: interrupted.signal,
  });
  return exitInterrupted;
};

export const listenVerb: Verb = {
  name: "listen",
  summary: "shows what a sandbox posts to your bank, and forwards it to a port of this machine",
  arguments: [],
  options: {
    forward: { type: "string", placeholder: "URL", text: "your bank's base address; its answers go back to Sluice" },
    events: { type: "boolean", text: "forwards the event postings alone; the sandbox answers the rest" },
    sandbox: sandboxOption,
    json: { ...jsonOption, text: "prints each post as one line of JSON, with headers and body" },
  },
  notes: ["Headers and bytes arrive unchanged, so signatures can be verified. Your bank also sends the reports then."],
  examples: ["listen", "listen --forward http://127.0.0.1:3000", "listen --forward http://127.0.0.1:3000 --events"],
  run,
};

function readAddress(given: string | null): string | null {
  if (given === null || /^https?:$/.test(URL.parse(given)?.protocol ?? "")) return given;
  throw new Fault("cli.unfit-option", `${given} is no address (http://host:port)`, { isRetryable: false });
}
