// exportTransactions: everything that a search finds as a file, CSV or JSON, sorted by UETR.
//
// #1 A row has what a row of the search has: no name, and of an account the last four characters.

import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { TransactionQuery } from "@sluice/store";
import { csvLine } from "../views/csv-text.ts";
import { invalidRequest } from "../views/control-values.ts";
import { csvFormat, jsonFormat, sendFile } from "./export-file.ts";
import { addSealedTerms } from "../views/sealed-terms.ts";
import { parseSearchTerms } from "../queries/parse-search-terms.ts";
import { transactionView, type SearchPorts } from "../queries/search-transactions.ts";

type Row = ReturnType<typeof transactionView>;

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

const formats = {
  csv: csvFormat<Row>(csvLine([...columns, "reasons"]), (row) => csvLine([...columns.map((column) => row[column]), row.reasons.join(" ")])),
  json: jsonFormat<Row>((nowMs) => `{"schema":"TransactionsExport","asOf":"${formatInstant(nowMs)}","rows":[`),
};

const pageTransactions = 1_000;

export function exportTransactions({ store, searchHashes, brokerNowMs }: SearchPorts): ControlHandler {
  return async ({ operator, query }): Promise<ControlAnswer> => {
    const given = parseSearchTerms(query, operator.schemes);
    if (typeof given === "string") return invalidRequest(given);
    const terms = await addSealedTerms(given, searchHashes);
    if (typeof terms === "string") return invalidRequest(terms);
    return await sendFile(query, formats, brokerNowMs(), readPages(store, terms));
  };
}

async function* readPages(store: SearchPorts["store"], terms: TransactionQuery): AsyncGenerator<readonly Row[]> {
  let after: string | null = null;
  do {
    const rows: readonly Row[] = (await store.transactions.search(terms, after, pageTransactions)).map(transactionView);
    yield rows;
    after = rows.length === pageTransactions ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
}
