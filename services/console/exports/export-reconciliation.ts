// exportReconciliation: the items of one day as a file: CSV, JSON, or an ISO 20022 payment status report.
//
// #1 Items that were settled before the close are left out: an acknowledgement or a report had come.

import type { Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { invalidRequest, isDayKey } from "../views/control-values.ts";
import { reconciliationCsvHeader, reconciliationCsvLine } from "../views/reconciliation-csv.ts";
import { pacs002Begin, pacs002End, pacs002Transaction } from "../views/reconciliation-pacs002.ts";
import { readItemPages, reconciliationRow, type ReconciliationRow } from "../views/reconciliation-rows.ts";
import { csvFormat, type FileFormat, jsonFormat, sendFile } from "./export-file.ts";

export interface ExportPorts {
  readonly store: Pick<Store, "transactions">;
  readonly brokerNowMs: () => number | null;
}

function formatsOf(day: string): Readonly<Record<string, FileFormat<ReconciliationRow>>> {
  return {
    csv: csvFormat(reconciliationCsvHeader, reconciliationCsvLine),
    json: jsonFormat((nowMs) => `{"schema":"ReconciliationExport","day":"${day}","asOf":"${formatInstant(nowMs)}","rows":[`),
    iso20022: {
      contentType: "application/xml",
      begin: (nowMs) => pacs002Begin({ messageIdentification: createReportId(day, nowMs), createdAt: formatInstant(nowMs) }),
      row: pacs002Transaction,
      end: pacs002End,
    },
  };
}

export function exportReconciliation({ store, brokerNowMs }: ExportPorts): ControlHandler {
  return async ({ query }): Promise<ControlAnswer> => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalidRequest("day: a day, for example ZA_EFT:2026-11-20.");
    return await sendFile(query, formatsOf(day), brokerNowMs(), readRows(store, day));
  };
}

async function* readRows(store: ExportPorts["store"], day: string): AsyncGenerator<readonly ReconciliationRow[]> {
  // #1
  for await (const page of readItemPages(store, { itemDay: day })) {
    yield page.filter(({ item }) => item.settledAtMs === null).map(reconciliationRow);
  }
}

/** At most 35 characters, and different for each export. */
function createReportId(day: string, nowMs: number): string {
  const [scheme = "", date = ""] = day.split(":");
  return `RECON-${scheme.slice(0, 10)}-${date.replaceAll("-", "")}-${nowMs.toString(36)}`;
}
