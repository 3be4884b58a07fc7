// `./sluice audit export`: writes what operators decided as CSV or JSON to standard output or to a file.

import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import type { Verb } from "../../terminal/verb.ts";
import { writeWhole } from "../../terminal/write-whole.ts";
import { decisionFilters } from "./decision-filters.ts";

const terms = ["operator", "kind", "from", "to", "format"] as const;

export const runAuditExport: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const asked = Object.fromEntries(terms.map((name) => [name, call.value(name)]));
  await writeWhole(client.text("/actions/export", asked), call.value("out"), where);
  return 0;
};

export const auditExportVerb: Verb = {
  name: "audit export",
  summary: "what operators decided as a file, CSV or JSON; refused where there is more than one file has",
  arguments: [],
  options: {
    ...decisionFilters,
    format: { type: "string", placeholder: "FORMAT", text: "what is written", choices: ["csv", "json"] },
    out: { type: "string", placeholder: "FILE", text: "appears when it is complete; without it: standard output", completes: "files" },
    console: controlOptions.console,
  },
  examples: ["audit export --from 2026-11-17T00:00:00+02:00 --to 2026-11-18T00:00:00+02:00 --out audit.csv"],
  run: asControlVerb(runAuditExport),
};
