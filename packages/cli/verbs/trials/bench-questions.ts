// `./sluice bench questions`: times the answers of docs/operator-questions.md against what is up, and writes the times
// there. With `--demo` it starts the demo, and asks that.

import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { interruptible } from "@sluice/environment/interruption";
import { machineTime } from "@sluice/kernel";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

const root = new URL("../../../../", import.meta.url);
const page = new URL("docs/operator-questions.md", root);

const run: RunVerb = async (call) => {
  const { openStayingDemo, timeQuestions } = await import("@sluice/benches");
  using interruption = interruptible();
  await using opened = new AsyncDisposableStack();
  const before = await readFile(page, "utf8");
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  let environment = process.env;
  if (call.flag("demo")) {
    say("the demo plays its day");
    const demo = { isInMemory: false, time: machineTime, signal: interruption.signal };
    const { origin, tokens } = await openStayingDemo(demo, opened);
    environment = { ...process.env, SLUICE_CONTROL_URL: origin, SLUICE_OPERATOR_TOKEN: tokens[0] };
  }
  const ports = {
    time: machineTime,
    address: environment["SLUICE_CONTROL_URL"] ?? "http://127.0.0.1:8082",
    token: environment["SLUICE_OPERATOR_TOKEN"] ?? "sample-operator-token",
    folder: fileURLToPath(root),
    environment,
    say,
  };
  const day = Temporal.Now.plainDateISO().toString();
  const loadBefore = loadText();
  const measured = await timeQuestions(ports, before, measuredLine);
  const said = `Measured ${day} on ${availableParallelism()} cores at a load of ${loadBefore} to ${loadText()}; median of three.`;
  await writeFile(page, measured.replace(measuredLine, said));
  return 0;
};

/** Replaced when all is measured, as the load is that of the whole time. */
const measuredLine = "Measured .";

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

export const benchQuestionsVerb: Verb = {
  name: "bench questions",
  summary: "how long each page and command takes that answers a question of docs/operator-questions.md, written there",
  arguments: [],
  options: { demo: { type: "boolean", text: "starts ./sluice demo --stay, asks that, and ends it" } },
  notes: ["It asks what is up (./sluice up, ./sluice demo --stay), three times each. It decides nothing."],
  examples: ["bench questions", "bench questions --demo"],
  run,
};
