// `./sluice reconciliation evidence`: writes everything about one item as one JSON file.

import { Fault } from "@sluice/kernel";
import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { memberRows, memberText } from "../../terminal/control-table.ts";
import { uetrArgument, type Verb } from "../../terminal/verb.ts";
import { writeWhole } from "../../terminal/write-whole.ts";

export const runReconciliationEvidence: RunControlVerb = async (call, where) => {
  const [given = ""] = call.positionals;
  const client = await controlClient(call, where);
  const path = `/transactions/${encodeURIComponent(given)}`;
  const day =
    call.value("day") ??
    findDay(
      given,
      memberRows(await client.get(path), "items").map((item) => memberText(item, "day")),
    );
  await writeWhole(client.text(`${path}/evidence`, { day }), call.value("out"), where);
  return 0;
};

/** The day of the only item. */
function findDay(uetr: string, days: readonly string[]): string {
  const [day, ...more] = [...new Set(days)];
  if (day === undefined) throw new Fault("cli.no-item", `${uetr} has no reconciliation item`, { isRetryable: false });
  if (more.length === 0) return day;
  throw new Fault("cli.no-option", `--day is missing: the items are of ${days.join(", ")}`, { isRetryable: false });
}

export const reconciliationEvidenceVerb: Verb = {
  name: "reconciliation evidence",
  summary: "everything about one item as a JSON file: timeline, decisions with their places in the journal, digest",
  arguments: [uetrArgument],
  options: {
    day: { type: "string", placeholder: "DAY", text: "day of the item; without it that of the only one" },
    out: { type: "string", placeholder: "FILE", text: "appears when it is complete; without it: standard output", completes: "files" },
    console: controlOptions.console,
    profile: controlOptions.profile,
  },
  examples: ["reconciliation evidence 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --out evidence.json"],
  run: asControlVerb(runReconciliationEvidence),
};
