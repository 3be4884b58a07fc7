// `./sluice conservation`: whether everything that was accepted on a day is accounted for. Exit 0 only if it is.

import { asControlVerb, controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { shown } from "../../terminal/shown.ts";
import { memberRows, maskControlCharacters, tableText, memberText, type TableColumn } from "../../terminal/control-table.ts";
import { Fault } from "@sluice/kernel";
import type { Verb } from "../../terminal/verb.ts";

const debitColumns = ["accepted", "carriedIn", "completed", "rejected", "unpaid", "reconciled", "withdrawn", "carriedOut", "open"];
const creditColumns = ["creditAccepted", "creditResponseAccepted", "creditRejected", "creditFailed", "creditReconciled", "creditOpen"];

export const runConservation: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  let text = "";
  for await (const part of client.text("/conservation", { day: call.value("day") })) text += part;
  const body = parseBody(text);
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else where.out(bodyText(body));
  return body["isWhole"] === true ? 0 : 1;
};

export const conservationVerb: Verb = {
  name: "conservation",
  summary: "whether everything that was accepted on a day is accounted for",
  arguments: [],
  options: {
    day: { type: "string", placeholder: "DAY", text: "the business day, for example ZA_EFT:2026-11-20", isRequired: true },
    ...controlOptions,
  },
  notes: ["Exit 0 only if it is."],
  examples: ["conservation --day ZA_EFT:2026-11-20"],
  run: asControlVerb(shown(runConservation)),
};

function parseBody(text: string): AnswerBody {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return { ...body };
  } catch {
    // Not JSON: the Fault below says so.
  }
  throw new Fault("cli.no-answer", "the answer broke off: ask again", { isRetryable: true });
}

function bodyText(body: AnswerBody): string {
  const rows = memberRows(body, "rows");
  const findings = memberRows(body, "partitions").flatMap((partition) =>
    (Array.isArray(partition["findings"]) ? partition["findings"] : []).map((finding) =>
      maskControlCharacters(`! partition ${memberText(partition, "partition")}: ${String(finding)}`),
    ),
  );
  const verdict = body["isWhole"] === true ? "whole: all that was accepted is accounted for" : "NOT WHOLE";
  const tables = [debitColumns, creditColumns].flatMap((columns) => {
    const moved = rows.filter((row) => columns.some((name) => memberText(row, `columns.${name}.count`) !== "-"));
    return moved.length === 0 ? [] : [tableText(moved.flatMap(countAndSum), buildColumns(columns))];
  });
  return [`${memberText(body, "day")}  ${verdict}`, ...tables, ...findings].join("\n");
}

/** Splits a row into a line of counts and a line of sums. */
function countAndSum(row: AnswerBody): readonly AnswerBody[] {
  return ["count", "sum"].map((what) => ({ ...row, what }));
}

function buildColumns(names: readonly string[]): readonly TableColumn[] {
  return [
    { title: "BANK", of: (row) => (row["what"] === "count" ? memberText(row, "bank") : "") },
    { title: "", of: (row) => (row["what"] === "count" ? "count" : memberText(row, "currency")) },
    ...names.map((name) => ({
      title: name.replace(/^credit/, "").toUpperCase(),
      isNumber: true,
      of: (row: AnswerBody) => memberText(row, `columns.${name}.${memberText(row, "what")}`),
    })),
  ];
}
