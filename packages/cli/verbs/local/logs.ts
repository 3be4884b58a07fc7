// `./sluice logs`: prints what the services of `up` logged in the order of time, and with --follow what they log from
// now on.
//
// #1 The last `tailBytesMax` of each file are read; older lines stay in the file, and the verb says so.
// #2 With --follow new lines are printed as they are written; Ctrl-C ends it with exit 0.
// #3 A line that is not JSON (a crash of the runtime) is printed unchanged.

import { open } from "node:fs/promises";
import { join } from "node:path";
import { readDuration } from "@sluice/config/durations";
import { Fault, machineTime, sleep } from "@sluice/kernel";
import { interruptible } from "@sluice/environment/interruption";
import { formatLogLine, type LogFilter, matchesLogFilter } from "@sluice/environment/log-line";
import { type ServiceName, serviceNames } from "@sluice/environment/processes";
import { upDirectory } from "./up-state.ts";
import type { RunVerb, Verb, VerbCall } from "../../terminal/verb.ts";

const tailBytesMax = 4 * 1024 * 1024;
const followEveryMs = 250;
const levels = ["debug", "info", "warn", "error"];

const run: RunVerb = async (call) => {
  const services = chooseServices(call);
  const wanted = parseFilter(call);
  const isJson = call.flag("json");
  const files = services.map((name) => ({ name, path: join(upDirectory, `${name}.log`), offset: 0 }));
  const first = (await Promise.all(files.map(readTail))).flat();
  if (first.length === 0)
    throw new Fault("cli.no-logs", "there are no logs of ./sluice up here; on a cluster: kubectl logs (docs/kubernetes.md)", {
      isRetryable: false,
    });
  const printed = print(first, wanted, isJson);
  if (printed === 0) process.stderr.write(`sluice: none of the ${first.length} lines that were read fits\n`);
  if (!call.flag("follow")) return 0;
  using interruption = interruptible();
  while (!interruption.signal.aborted) {
    await sleep(machineTime, followEveryMs, interruption.signal);
    print((await Promise.all(files.map(readOn))).flat(), wanted, isJson);
  }
  return 0;
};

export const logsVerb: Verb = {
  name: "logs",
  summary: "what the services of up logged, in the order of time",
  arguments: [{ placeholder: "SERVICE", text: "only these services", choices: serviceNames, count: [0, serviceNames.length] }],
  options: {
    follow: { type: "boolean", text: "continues with what is written from now on; Ctrl-C ends it" },
    level: { type: "string", placeholder: "LEVEL", text: "this and worse (info)", choices: levels },
    uetr: { type: "string", placeholder: "UETR", text: "lines that name it" },
    event: { type: "string", placeholder: "EVENT", text: "an event, or its first words: gate, delivery.failed" },
    since: { type: "string", placeholder: "DURATION", text: "for example 30s, 10m, 2h" },
    json: { type: "boolean", text: "the lines as they were written" },
  },
  notes: ["Reads the files of ./sluice up on this machine. On a cluster: kubectl logs (docs/kubernetes.md)."],
  examples: ["logs --follow", "logs dispatcher --level warn --since 10m"],
  run,
};

interface LogFile {
  readonly name: ServiceName;
  readonly path: string;
  /** Bytes of the file that have been read. */
  offset: number;
}

function chooseServices(call: VerbCall): readonly ServiceName[] {
  return call.positionals.length === 0 ? serviceNames : serviceNames.filter((name) => call.positionals.includes(name));
}

function parseFilter(call: VerbCall): LogFilter {
  const since = call.value("since");
  const sinceMs = since === null ? null : readDuration(since);
  if (since !== null && sinceMs === null) {
    throw new Fault("cli.unfit-option", "--since: a duration such as 30s, 10m or 2h", { isRetryable: false });
  }
  const level = call.value("level") ?? "info";
  if (!levels.includes(level)) {
    throw new Fault("cli.unfit-option", "--level: debug, info, warn or error", { isRetryable: false });
  }
  return {
    fromMs: sinceMs === null ? null : machineTime.nowMs() - sinceMs,
    level,
    uetr: call.value("uetr")?.toLowerCase() ?? null,
    event: call.value("event"),
  };
}

/** Reads the lines at the end of the file; none if there is no file. */
async function readTail(file: LogFile): Promise<readonly string[]> {
  const size = await fileSize(file.path);
  file.offset = Math.max(0, size - tailBytesMax);
  const isCut = file.offset > 0;
  const lines = await readOn(file);
  if (!isCut) return lines;
  process.stderr.write(`sluice: only the last ${tailBytesMax / 1024 / 1024} MiB of ${file.name}; the whole log is ${file.path}\n`);
  return lines.slice(1);
}

/** Reads the complete lines that were written since. */
async function readOn(file: LogFile): Promise<readonly string[]> {
  const size = await fileSize(file.path);
  if (size < file.offset) file.offset = 0;
  const wanted = Math.min(size - file.offset, tailBytesMax);
  if (wanted <= 0) return [];
  await using handle = await open(file.path, "r");
  const { buffer, bytesRead } = await handle.read(new Uint8Array(wanted), 0, wanted, file.offset);
  const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
  file.offset += end;
  return new TextDecoder()
    .decode(buffer.subarray(0, end))
    .split("\n")
    .filter((line) => line !== "");
}

async function fileSize(path: string): Promise<number> {
  try {
    await using handle = await open(path, "r");
    return (await handle.stat()).size;
  } catch {
    return 0;
  }
}

/** Returns how many lines were printed. */
function print(lines: readonly string[], wanted: LogFilter, isJson: boolean): number {
  const shown = lines
    .map((line) => formatLogLine(line))
    .filter((line) => matchesLogFilter(line, wanted))
    .toSorted((a, b) => a.atMs - b.atMs);
  for (const line of shown) process.stdout.write(`${isJson ? line.raw : line.text}\n`);
  return shown.length;
}
