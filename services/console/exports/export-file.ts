// A file of many rows in one of several formats. It is sent page by page while the store is read, so that only one page
// is in memory.

import type { ControlAnswer } from "../http/control-handler.ts";
import { invalidRequest } from "../views/control-values.ts";

export interface FileFormat<Row> {
  readonly contentType: string;
  begin(nowMs: number): string;
  row(row: Row, isFirst: boolean): string;
  readonly end: string;
}

/** The form of a CSV file whose first line is `head`. */
export function csvFormat<Row>(head: string, row: (row: Row) => string): FileFormat<Row> {
  return { contentType: "text/csv; charset=utf-8; header=present", begin: () => head, row, end: "" };
}

/** The form of a JSON file that begins with the text of an object up to its array of rows. */
export function jsonFormat<Row>(begin: (nowMs: number) => string): FileFormat<Row> {
  return {
    contentType: "application/json",
    begin,
    row: (row, isFirst) => `${isFirst ? "" : ","}\n${JSON.stringify(row)}`,
    end: "\n]}\n",
  };
}

/** Sends all pages in the format that `query` asks for, CSV if it asks for none. */
export async function sendFile<Row>(
  query: URLSearchParams,
  formats: Readonly<Record<string, FileFormat<Row>>>,
  nowMs: number | null,
  pages: AsyncGenerator<readonly Row[]>,
): Promise<ControlAnswer> {
  const format = new Map(Object.entries(formats)).get(query.get("format") ?? "csv");
  if (format === undefined) return invalidRequest(`format: ${Object.keys(formats).join(", ")}.`);
  if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
  // The first page is read before the answer begins: if the store is not available the answer is 503 and not a file
  // that breaks off.
  const first = await pages.next();
  return { kind: "text", contentType: format.contentType, text: streamFile(format, nowMs, first, pages) };
}

async function* streamFile<Row>(
  format: FileFormat<Row>,
  nowMs: number,
  first: IteratorResult<readonly Row[]>,
  pages: AsyncGenerator<readonly Row[]>,
) {
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
