// `./sluice reconciliation export`: writes the items of a day as CSV, JSON or ISO 20022 to standard output or to a
// file.
//
// #1 A file exists under its name only when it is complete: it is written under another name and renamed at the end.

import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { asControlVerb, controlClient, type RunControlVerb } from "../../terminal/control-client.ts";

export const runReconciliationExport: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const text = client.text("/reconciliation/export", { day: call.value("day"), format: call.value("format") });
  const file = call.value("out");
  if (file === null) {
    for await (const part of text) where.write(part);
    return 0;
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
  return 0;
};

export const reconciliationExport = asControlVerb(runReconciliationExport);
