// exportReconciliation: the items of one day as a file: CSV, JSON, or an ISO 20022 payment status report. Sent as it is read, page by page.
//
// #1 Items that were settled before the close are none of the day's: an acknowledgement or a report had come.

import type { Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { invalid, isDayKey } from "./control-values.ts";
import { csvHeader, csvOf } from "./reconciliation-csv.ts";
import { pacs002Begin, pacs002End, pacs002Of } from "./reconciliation-pacs002.ts";
import { itemsOf, reconciliationRow, type ReconciliationRow } from "./reconciliation-rows.ts";

export interface ExportPorts {
  readonly store: Pick<Store, "transactions">;
  readonly agreedNowMs: () => number | null;
}

interface Format {
  readonly contentType: string;
  begin(day: string, nowMs: number): string;
  row(row: ReconciliationRow, isFirst: boolean): string;
  readonly end: string;
}

const formats: Readonly<Record<string, Format>> = {
  csv: { contentType: "text/csv; charset=utf-8; header=present", begin: () => csvHeader, row: csvOf, end: "" },
  json: {
    contentType: "application/json",
    begin: (day, nowMs) => `{"schema":"ReconciliationExport","day":"${day}","asOf":"${instantText(nowMs)}","rows":[`,
    row: (row, isFirst) => `${isFirst ? "" : ","}\n${JSON.stringify(row)}`,
    end: "\n]}\n",
  },
  iso20022: {
    contentType: "application/xml",
    begin: (day, nowMs) => pacs002Begin({ messageIdentification: reportIdentification(day, nowMs), createdAt: instantText(nowMs) }),
    row: pacs002Of,
    end: pacs002End,
  },
};

export function exportReconciliation({ store, agreedNowMs }: ExportPorts): ControlHandler {
  return async ({ query }): Promise<ControlAnswer> => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalid("day: a day, for example ZA_EFT:2026-11-20.");
    const format = formats[query.get("format") ?? "csv"];
    if (format === undefined) return invalid(`format: ${Object.keys(formats).join(", ")}.`);
    const nowMs = agreedNowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const pages = itemsOf(store, { itemDay: day });
    // The first page before the answer begins: a store that is away is 503, not a file that breaks off.
    const first = await pages.next();
    return { kind: "text", contentType: format.contentType, text: textOf(format, day, nowMs, first, pages) };
  };
}

type Pages = ReturnType<typeof itemsOf>;

async function* textOf(format: Format, day: string, nowMs: number, first: Awaited<ReturnType<Pages["next"]>>, pages: Pages) {
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

/** At most 35 characters; another one for each export. */
function reportIdentification(day: string, nowMs: number): string {
  const [scheme = "", date = ""] = day.split(":");
  return `RECON-${scheme.slice(0, 10)}-${date.replaceAll("-", "")}-${nowMs.toString(36)}`;
}
