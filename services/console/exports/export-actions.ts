// exportActions: what operators decided between two instants as a file, CSV or JSON, the newest first.
//
// #1 The file is whole or there is none: what `listActions` would cut off is refused, so that nobody takes a part for
//    all of it.
// #2 The file leaves: numbers in what people wrote are masked, as in the other exports.

import { maskNumbers } from "@sluice/kernel";
import { loadActions, type ActionRow, type ActionsPorts } from "../audit/list-actions.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { csvLine } from "../views/csv-text.ts";
import { invalidRequest } from "../views/control-values.ts";
import { csvFormat, jsonFormat, sendFile } from "./export-file.ts";

const columns = [
  "at",
  "operator",
  "person",
  "confirmedBy",
  "kind",
  "key",
  "result",
  "why",
  "awaitsConfirmation",
  "reason",
  "requestedAt",
  "id",
  "offset",
] as const satisfies readonly (keyof Row)[];

type Row = Omit<ActionRow, "offset"> & { readonly offset: string };

const formats = {
  csv: csvFormat<Row>(csvLine([...columns]), (row) => csvLine(columns.map((name) => row[name]))),
  json: jsonFormat<Row>((nowMs) => `{"schema":"ActionsExport","asOf":"${formatInstant(nowMs)}","rows":[`),
};

export function exportActions(ports: ActionsPorts): ControlHandler {
  return async ({ query, operator }) => {
    const found = await loadActions(ports, query, operator.schemes);
    if ("kind" in found) return found;
    // #1
    if (!found.isWhole) return invalidRequest("from, to: there are more decisions in this time than one file has; give a shorter one.");
    return await sendFile(query, formats, ports.brokerNowMs(), pagesOf(found.rows));
  };
}

const pageRows = 1_000;

async function* pagesOf(rows: readonly ActionRow[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from === 0 || from < rows.length; from += pageRows)
    yield await Promise.resolve(rows.slice(from, from + pageRows).map(toRow));
}

/** #2 */
function toRow(row: ActionRow): Row {
  return { ...row, offset: String(row.offset), reason: maskNumbers(row.reason) };
}
