// `./sluice conservation`: whether all that was accepted on a day is accounted for. Exit 0 only if it is.

import { asControlVerb, controlClient, type Body, type RunControlVerb } from "./control-client.ts";
import { rowsAt, shown, tableText, textAt, type Column } from "./control-table.ts";
import { Fault } from "@sluice/runtime";

const debitColumns = ["accepted", "rolledIn", "completed", "rejected", "unpaid", "reconciled", "withdrawn", "rolledOut", "open"];
const creditColumns = ["creditAccepted", "creditResponseAccepted", "creditRejected", "creditFailed", "creditReconciled", "creditOpen"];

export const runConservation: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  let text = "";
  for await (const part of client.text("/conservation", { day: call.value("day") })) text += part;
  const body = bodyIn(text);
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else where.out(bodyText(body));
  return body["isWhole"] === true ? 0 : 1;
};

export const conservation = asControlVerb(runConservation);

function bodyIn(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return { ...body };
  } catch {
    // Below.
  }
  throw new Fault("cli.no-answer", "the answer broke off: ask again", { isRetryable: true });
}

function bodyText(body: Body): string {
  const rows = rowsAt(body, "rows");
  const findings = rowsAt(body, "lanes").flatMap((lane) =>
    (Array.isArray(lane["findings"]) ? lane["findings"] : []).map((finding) => shown(`! lane ${textAt(lane, "lane")}: ${String(finding)}`)),
  );
  const verdict = body["isWhole"] === true ? "whole: all that was accepted is accounted for" : "NOT WHOLE";
  const tables = [debitColumns, creditColumns].flatMap((columns) => {
    const moved = rows.filter((row) => columns.some((name) => textAt(row, `columns.${name}.count`) !== "-"));
    return moved.length === 0 ? [] : [tableText(moved.flatMap(countAndSum), columnsOf(columns))];
  });
  return [`${textAt(body, "day")}  ${verdict}`, ...tables, ...findings].join("\n");
}

/** A line of counts, and one of sums below it. */
function countAndSum(row: Body): readonly Body[] {
  return ["count", "sum"].map((what) => ({ ...row, what }));
}

function columnsOf(names: readonly string[]): readonly Column[] {
  return [
    { title: "BANK", of: (row) => (row["what"] === "count" ? textAt(row, "bank") : "") },
    { title: "", of: (row) => (row["what"] === "count" ? "count" : textAt(row, "currency")) },
    ...names.map((name) => ({
      title: name.replace(/^credit/, "").toUpperCase(),
      isNumber: true,
      of: (row: Body) => textAt(row, `columns.${name}.${textAt(row, "what")}`),
    })),
  ];
}
