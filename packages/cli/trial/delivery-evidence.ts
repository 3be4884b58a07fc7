// What a bad trial of deliveries leaves: its history, one entry a line, and each process's log and configuration.

import { createWriteStream } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DeliveryHistory } from "./delivery-judge.ts";

/** Answers where it lies. */
export async function keepEvidence(folder: string, history: DeliveryHistory, directory: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await pipeline(linesOf(history), createWriteStream(join(folder, "history.jsonl")));
  await cp(directory, folder, { recursive: true, filter: (path) => !/\/(kafka|mongo|registry)$/.test(path) });
  return folder;
}

function* linesOf({ sent, heard, ends }: DeliveryHistory): Generator<string> {
  for (const [kind, entries] of Object.entries({ sent, heard, ends })) {
    for (const entry of entries) yield `${JSON.stringify({ kind, ...entry })}\n`;
  }
}
