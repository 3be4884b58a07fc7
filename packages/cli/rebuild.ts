// `./sluice rebuild`: the store's snapshots made anew from the journal, while what is up runs on. The work is a process of its own, which says
// what it does a line of JSON each.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/runtime";
import { serviceEnvironment } from "./service-environment.ts";
import { requireUpState } from "./up-state.ts";
import type { Call, RunVerb } from "./verbs.ts";

const entry = fileURLToPath(new URL("../../services/scheduler/rebuild/main.ts", import.meta.url));

interface LaneLine {
  readonly event: "lane";
  readonly lane: number;
  readonly position: string;
  readonly documents: number;
  readonly compared: number;
  readonly differencesCount: number;
  readonly differences: readonly { readonly kind: string; readonly key: string; readonly what: string }[];
  readonly isSwitched: boolean;
  readonly build: number;
  readonly heldMs: number | null;
}
type Line =
  | LaneLine
  | { readonly event: "progress"; readonly lane: number; readonly done: string; readonly of: string }
  | { readonly event: "dropped"; readonly builds: number };

export const rebuild: RunVerb = async (call) => {
  const lane = call.value("lane");
  if (lane !== null && !/^\d{1,4}$/.test(lane)) throw new Fault("cli.no-lane", `${lane} is no lane`, { isRetryable: false });
  const { database, configurationFile, ...servers } = await requireUpState();
  const environment = serviceEnvironment({ servers, configurationFile, database });
  const child = spawn(process.execPath, [entry, ...argumentsOf(call, lane)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const lanes: LaneLine[] = [];
  const isJson = call.flag("json");
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text);
    if (line.event === "lane") lanes.push(line);
    if (!isJson) process.stdout.write(`${described(line)}\n`);
  }
  const code = (await exited) ?? 1;
  if (isJson) process.stdout.write(`${JSON.stringify({ schema: "Rebuild", isEqual: code === 0, lanes }, null, 2)}\n`);
  return code;
};

function argumentsOf(call: Call, lane: string | null): readonly string[] {
  const flags = ["dry-run", "accept-differences", "drop-old"].filter((name) => call.flag(name)).map((name) => `--${name}`);
  return lane === null ? flags : [...flags, "--lane", lane];
}

function described(line: Line): string {
  if (line.event === "progress") return `lane ${line.lane}: ${line.done} of ${line.of} records`;
  if (line.event === "dropped") return `${line.builds} old builds of lanes removed`;
  const { lane, documents, compared, differencesCount, isSwitched, build, heldMs } = line;
  const equal = differencesCount === 0 ? "equal" : `${differencesCount} differences`;
  const held = heldMs === null ? "" : `, stopped for ${Math.round(heldMs)} ms`;
  const end = isSwitched ? `goes on in build ${build}${held}` : `not switched${held}`;
  const shown = line.differences.map(({ kind, key, what }) => `  ${kind} ${key}: ${what}`);
  return [`lane ${lane}: ${documents} transactions, ${compared} compared, ${equal}; ${end}`, ...shown].join("\n");
}
