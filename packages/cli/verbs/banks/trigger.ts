// `./sluice trigger`: has a sandbox send a message with a known end.

import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import { sandboxOption, sandboxUrl } from "./sandbox-option.ts";

const accepted = 202;

const run: RunVerb = async (call) => {
  const { sandboxClient } = await import("@sluice/sandbox/client");
  const url = sandboxUrl(call);
  const sandbox = sandboxClient(url);
  const [name] = call.positionals;
  if (name === undefined) {
    const { triggers } = await sandbox.get("");
    process.stdout.write(call.flag("json") ? `${JSON.stringify(triggers, null, 2)}\n` : formatTriggers(triggers));
    return 0;
  }
  const sent = await sandbox.post("/trigger", { name });
  const isAccepted = sent["status"] === accepted;
  const lines = [
    `${String(sent["uetr"])}: ${String(sent["does"])}; ${isAccepted ? "accepted" : "not accepted"}`,
    ...(isAccepted ? [`./sluice tx ${String(sent["uetr"])} --console ${url}`] : []),
  ];
  process.stdout.write(`${call.flag("json") ? JSON.stringify(sent) : lines.join("\n")}\n`);
  return isAccepted ? 0 : 1;
};

export const triggerVerb: Verb = {
  name: "trigger",
  summary: "has a sandbox send a debit or credit with a known end; without a name it lists them",
  arguments: [{ placeholder: "NAME", text: "what happens: paid, unpaid, silent, account-ac02, credit…", count: [0, 1] }],
  options: { sandbox: sandboxOption, json: jsonOption },
  notes: ["Exit 0 if Sluice answered 202, else 1."],
  examples: ["trigger", "trigger unpaid", "trigger account-ac02 --json"],
  run,
};

function formatTriggers(triggers: unknown): string {
  const rows = Array.isArray(triggers) ? triggers : [];
  return rows.map(({ name, does }) => `${String(name).padEnd(24)}${String(does)}\n`).join("");
}
