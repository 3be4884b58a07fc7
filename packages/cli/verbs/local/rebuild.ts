// `./sluice rebuild`: rebuilds the store's snapshots from the journal while the services run. A separate process does
// the work, and reports in lines of JSON.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/kernel";
import { serviceEnvironment } from "@sluice/environment/service-environment";
import { requireUpState } from "./up-state.ts";
import { jsonOption, type RunVerb, type Verb, type VerbCall } from "../../terminal/verb.ts";

const entry = fileURLToPath(new URL("../../../../services/scheduler/rebuild/main.ts", import.meta.url));

type Cause = "store" | "rules" | "either";

interface PartitionLine {
  readonly event: "partition";
  readonly partition: number;
  readonly position: string;
  readonly documents: number;
  readonly compared: number;
  readonly differencesCount: number;
  readonly differences: readonly { readonly kind: string; readonly key: string; readonly what: string; readonly cause: Cause }[];
  readonly byOtherRules: number;
  readonly isSwitched: boolean;
  readonly build: number;
  readonly heldMs: number | null;
}
type Line =
  | PartitionLine
  | { readonly event: "progress"; readonly partition: number; readonly done: string; readonly of: string }
  | { readonly event: "dropped"; readonly builds: number };

const run: RunVerb = async (call) => {
  const partition = call.value("partition");
  if (partition !== null && !/^\d{1,4}$/.test(partition))
    throw new Fault("cli.no-partition", `${partition} is not a partition`, { isRetryable: false });
  const { database, configurationFile, connections, ...servers } = await requireUpState(["kafka", "registry", "mongo"]);
  const environment = serviceEnvironment({ servers, configurationFile, database });
  const child = spawn(process.execPath, [entry, ...buildArguments(call, partition)], {
    env: { ...process.env, ...connections, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const partitions: PartitionLine[] = [];
  const isJson = call.flag("json");
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text);
    if (line.event === "partition") partitions.push(line);
    if (!isJson) process.stdout.write(`${formatLine(line)}\n`);
  }
  const code = (await exited) ?? 1;
  if (isJson) process.stdout.write(`${JSON.stringify({ schema: "Rebuild", isEqual: code === 0, partitions }, null, 2)}\n`);
  return code;
};

export const rebuildVerb: Verb = {
  name: "rebuild",
  summary: "rebuilds the store's snapshots from the journal, compares them with what is there, and switches to them",
  arguments: [],
  options: {
    partition: { type: "string", placeholder: "N", text: "only that partition (default: all, one after another)" },
    "dry-run": { type: "boolean", text: "only compares" },
    "accept-differences": { type: "boolean", text: "the journal is right: switches to the new build whatever differs" },
    "accept-other-rules": { type: "boolean", text: "switches also if older or newer rules may explain whatever differs" },
    "drop-old": { type: "boolean", text: "only removes builds that are no longer used, and drops their collections" },
    json: jsonOption,
  },
  notes: [
    "Works on what ./sluice up has started on this machine. On a cluster: docs/kubernetes.md names the command.",
    "The console's System page shows how far it is, and when it would be through.",
    "Services keep running: a partition stops only for its last records.",
    "Exit 0 if everything is equal; else 1, and nothing is switched.",
  ],
  examples: ["rebuild --dry-run", "rebuild --partition 3"],
  run,
};

const causeTexts: Readonly<Record<Cause, string>> = {
  store: "the store is wrong",
  rules: "decided by other rules",
  either: "by other rules, or the store is wrong",
};

function buildArguments(call: VerbCall, partition: string | null): readonly string[] {
  const flags = ["dry-run", "accept-differences", "accept-other-rules", "drop-old"]
    .filter((name) => call.flag(name))
    .map((name) => `--${name}`);
  return partition === null ? flags : [...flags, "--partition", partition];
}

function formatLine(line: Line): string {
  if (line.event === "progress") return `partition ${line.partition}: ${line.done} of ${line.of} records`;
  if (line.event === "dropped") return `${line.builds} old builds of partitions removed`;
  const { partition, documents, compared, byOtherRules, differencesCount, isSwitched, build, heldMs } = line;
  const equal = differencesCount === 0 ? "equal" : `${differencesCount} differences`;
  const held = heldMs === null ? "" : `, stopped for ${Math.round(heldMs)} ms`;
  const end = isSwitched ? `continues in build ${build}${held}` : `not switched${held}`;
  const rules = byOtherRules === 0 ? "" : `, ${byOtherRules} by other rules`;
  const shown = line.differences.map(({ kind, key, what, cause }) => `  ${kind} ${key}: ${what} (${causeTexts[cause]})`);
  return [`partition ${partition}: ${documents} transactions, ${compared} compared${rules}, ${equal}; ${end}`, ...shown].join("\n");
}
