// `./sluice reconciliation export`: the items of a day as CSV, JSON or ISO 20022, to standard output or to a file.
//
// #1 A file is complete or it is not there under its name: it is written beside it and renamed at the end.

import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { asControlVerb, controlClient, type RunControlVerb } from "./control-client.ts";

export const runReconciliationExport: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const text = client.text("/reconciliation/export", { day: call.value("day"), format: call.value("format") });
  const file = call.value("out");
  if (file === null) {
    for await (const part of text) where.write(part);
    return 0;
  }
  const beside = `${file}.part`;
  try {
    await pipeline(text, createWriteStream(beside));
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
  where.out(`written: ${file}`);
  return 0;
};

export const reconciliationExport = asControlVerb(runReconciliationExport);
