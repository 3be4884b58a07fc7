// Writes what the console sends to standard output or to a file.
//
// #1 A file exists under its name only when it is complete: it is written under another name and renamed at the end.

import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { ControlTerminal } from "./control-client.ts";

/** Without a file the text goes to standard output. */
export async function writeWhole(text: AsyncIterable<string>, file: string | null, where: ControlTerminal): Promise<void> {
  if (file === null) {
    for await (const part of text) where.write(part);
    return;
  }
  const partialFile = `${file}.part`;
  try {
    // Opened before the first byte is asked for: a stream that opens later could create the file after its removal.
    const part = await open(partialFile, "w");
    await pipeline(text, part.createWriteStream());
    await rename(partialFile, file);
  } finally {
    await rm(partialFile, { force: true });
  }
  where.out(`written: ${file}`);
}
