// What a bad trial of deliveries leaves: its history, one entry a line, and each process's log and configuration.

import { cp, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { DeliveryHistory } from "./delivery-judge.ts";

/** Answers where it lies. */
export async function keepEvidence(folder: string, { sent, heard, ends }: DeliveryHistory, directory: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await using file = await open(join(folder, "history.jsonl"), "w");
  const writer = file.createWriteStream({ autoClose: false });
  for (const [kind, entries] of Object.entries({ sent, heard, ends })) {
    for (const entry of entries) {
      if (!writer.write(`${JSON.stringify({ kind, ...entry })}\n`)) await new Promise<void>((resolve) => writer.once("drain", resolve));
    }
  }
  await new Promise<void>((resolve) => writer.end(resolve));
  await cp(directory, folder, { recursive: true, filter: (path) => !/\/(kafka|mongo|registry)$/.test(path) });
  return folder;
}
