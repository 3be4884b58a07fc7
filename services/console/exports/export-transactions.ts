// exportTransactions: everything that a search finds as a file, CSV or JSON, sorted by UETR. The file is sent page by
// page while the store is read.
//
// #1 A row has what a row of the search has: no name, and of an account the last four characters.

import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { TransactionQuery } from "@sluice/store";
import { csvLine } from "../views/csv-text.ts";
import { invalidRequest } from "../views/control-values.ts";
import { addSealedTerms } from "../views/sealed-terms.ts";
import { parseSearchTerms } from "../queries/parse-search-terms.ts";
import { transactionView, type SearchPorts } from "../queries/search-transactions.ts";

type Row = ReturnType<typeof transactionView>;

interface Format {
  readonly contentType: string;
  begin(nowMs: number): string;
  row(row: Row, isFirst: boolean): string;
  readonly end: string;
}

const columns = [
  "uetr",
  "state",
  "flow",
  "scheme",
  "sender",
  "bank",
  "businessDate",
  "reconciliationDay",
  "amount",
  "currency",
  "messageIdentification",
  "endToEndIdentification",
  "transactionIdentification",
  "instructionIdentification",
  "debtorAccountEnd",
  "creditorAccountEnd",
  "receivedAt",
  "updatedAt",
  "openItems",
  "isParked",
] as const satisfies readonly (keyof Row)[];

const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    csv: {
      contentType: "text/csv; charset=utf-8; header=present",
      begin: () => csvLine([...columns, "reasons"]),
      row: (row) => csvLine([...columns.map((column) => row[column]), row.reasons.join(" ")]),
      end: "",
    },
    json: {
      contentType: "application/json",
      begin: (nowMs) => `{"schema":"TransactionsExport","asOf":"${formatInstant(nowMs)}","rows":[`,
      row: (row, isFirst) => `${isFirst ? "" : ","}\n${JSON.stringify(row)}`,
      end: "\n]}\n",
    },
  }),
);

const pageTransactions = 1_000;

export function exportTransactions({ store, searchHashes, brokerNowMs }: SearchPorts): ControlHandler {
  return async ({ query }): Promise<ControlAnswer> => {
    const given = parseSearchTerms(query);
    if (typeof given === "string") return invalidRequest(given);
    const terms = await addSealedTerms(given, searchHashes);
    if (typeof terms === "string") return invalidRequest(terms);
    const format = formats.get(query.get("format") ?? "csv");
    if (format === undefined) return invalidRequest(`format: ${[...formats.keys()].join(", ")}.`);
    const nowMs = brokerNowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const pages = readPages(store, terms);
    // The first page is read before the answer begins: if the store is not available the answer is 503 and not a file
    // that breaks off.
    const first = await pages.next();
    return { kind: "text", contentType: format.contentType, text: streamRows(format, nowMs, first, pages) };
  };
}

type Pages = ReturnType<typeof readPages>;

/** Only one page is in memory. */
async function* readPages(store: SearchPorts["store"], terms: TransactionQuery): AsyncGenerator<readonly Row[]> {
  let after: string | null = null;
  do {
    const rows: readonly Row[] = (await store.transactions.search(terms, after, pageTransactions)).map(transactionView);
    yield rows;
    after = rows.length === pageTransactions ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
}

async function* streamRows(format: Format, nowMs: number, first: Awaited<ReturnType<Pages["next"]>>, pages: Pages) {
  let text = format.begin(nowMs);
  let isFirst = true;
  for (let page = first; page.done !== true; page = await pages.next()) {
    for (const row of page.value) {
      text += format.row(row, isFirst);
      isFirst = false;
    }
    if (text !== "") yield text;
    text = "";
  }
  yield format.end;
}
