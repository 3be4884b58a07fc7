// exportReconciliation: the items of one day as a file: CSV, JSON, or an ISO 20022 payment status report. The file is
// sent page by page while the store is read.
//
// #1 Items that were settled before the close are left out: an acknowledgement or a report had come.

import type { Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { invalidRequest, isDayKey } from "../views/control-values.ts";
import { reconciliationCsvHeader, reconciliationCsvLine } from "../views/reconciliation-csv.ts";
import { pacs002Begin, pacs002End, pacs002Transaction } from "../views/reconciliation-pacs002.ts";
import { readItemPages, reconciliationRow, type ReconciliationRow } from "../views/reconciliation-rows.ts";

export interface ExportPorts {
  readonly store: Pick<Store, "transactions">;
  readonly brokerNowMs: () => number | null;
}

interface Format {
  readonly contentType: string;
  begin(day: string, nowMs: number): string;
  row(row: ReconciliationRow, isFirst: boolean): string;
  readonly end: string;
}

const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    csv: {
      contentType: "text/csv; charset=utf-8; header=present",
      begin: () => reconciliationCsvHeader,
      row: reconciliationCsvLine,
      end: "",
    },
    json: {
      contentType: "application/json",
      begin: (day, nowMs) => `{"schema":"ReconciliationExport","day":"${day}","asOf":"${formatInstant(nowMs)}","rows":[`,
      row: (row, isFirst) => `${isFirst ? "" : ","}\n${JSON.stringify(row)}`,
      end: "\n]}\n",
    },
    iso20022: {
      contentType: "application/xml",
      begin: (day, nowMs) => pacs002Begin({ messageIdentification: createReportId(day, nowMs), createdAt: formatInstant(nowMs) }),
      row: pacs002Transaction,
      end: pacs002End,
    },
  }),
);

export function exportReconciliation({ store, brokerNowMs }: ExportPorts): ControlHandler {
  return async ({ query }): Promise<ControlAnswer> => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalidRequest("day: a day, for example ZA_EFT:2026-11-20.");
    const format = formats.get(query.get("format") ?? "csv");
    if (format === undefined) return invalidRequest(`format: ${[...formats.keys()].join(", ")}.`);
    const nowMs = brokerNowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const pages = readItemPages(store, { itemDay: day });
    // The first page is read before the answer begins: if the store is not available the answer is 503 and not a file
    // that breaks off.
    const first = await pages.next();
    return { kind: "text", contentType: format.contentType, text: streamExport(format, day, nowMs, first, pages) };
  };
}

type Pages = ReturnType<typeof readItemPages>;

async function* streamExport(format: Format, day: string, nowMs: number, first: Awaited<ReturnType<Pages["next"]>>, pages: Pages) {
  let text = format.begin(day, nowMs);
  let isFirst = true;
  for (let page = first; page.done !== true; page = await pages.next()) {
    for (const found of page.value) {
      if (found.item.settledAtMs !== null) continue;
      text += format.row(reconciliationRow(found), isFirst);
      isFirst = false;
    }
    if (text !== "") yield text;
    text = "";
  }
  yield format.end;
}

/** At most 35 characters, and different for each export. */
function createReportId(day: string, nowMs: number): string {
  const [scheme = "", date = ""] = day.split(":");
  return `RECON-${scheme.slice(0, 10)}-${date.replaceAll("-", "")}-${nowMs.toString(36)}`;
}
