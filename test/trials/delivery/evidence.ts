// Keeps the evidence of a failed delivery trial: its history with one entry a line, and the logs and configuration of
// the processes.

import { createWriteStream } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DeliveryHistory } from "./verdict.ts";

/** Returns the folder that holds the evidence. */
export async function keepEvidence(folder: string, history: DeliveryHistory, directory: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await pipeline(toLines(history), createWriteStream(join(folder, "history.jsonl")));
  await cp(directory, folder, { recursive: true, filter: (path) => !/\/(kafka|mongo|registry)$/.test(path) });
  return folder;
}

function* toLines({ sent, attempts, ends }: DeliveryHistory): Generator<string> {
  for (const [kind, entries] of Object.entries({ sent, attempts, ends })) {
    for (const entry of entries) yield `${JSON.stringify({ kind, ...entry })}\n`;
  }
}
