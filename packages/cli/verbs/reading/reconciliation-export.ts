// `./sluice reconciliation export`: writes the items of a day as CSV, JSON or ISO 20022 to standard output or to a
// file.

import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import type { Verb } from "../../terminal/verb.ts";
import { writeWhole } from "../../terminal/write-whole.ts";

export const runReconciliationExport: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const text = client.text("/reconciliation/export", { day: call.value("day"), format: call.value("format") });
  await writeWhole(text, call.value("out"), where);
  return 0;
};

export const reconciliationExportVerb: Verb = {
  name: "reconciliation export",
  summary: "a day's items as a file: CSV, JSON, or an ISO 20022 payment status report (pacs.002)",
  arguments: [],
  options: {
    day: { type: "string", placeholder: "DAY", text: "the business day, for example ZA_EFT:2026-11-20", isRequired: true },
    format: { type: "string", placeholder: "FORMAT", text: "what is written", choices: ["csv", "json", "iso20022"] },
    out: { type: "string", placeholder: "FILE", text: "appears when it is complete; without it: standard output", completes: "files" },
    console: controlOptions.console,
  },
  examples: ["reconciliation export --day ZA_EFT:2026-11-20 --format csv --out items.csv"],
  run: asControlVerb(runReconciliationExport),
};
