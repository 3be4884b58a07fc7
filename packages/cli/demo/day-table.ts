// The tables that the demo ends with: all debits and credits by bank and final state, and the reconciliation list. Functions of the evidence alone.

import type { Item } from "@sluice/domain";
import type { DayEvidence } from "./check-day.ts";
import { decimalText } from "./check-day.ts";
import { isOneOfMany } from "./demo-day.ts";

export interface TableRow {
  readonly bank: string;
  readonly character: string;
  readonly flow: string;
  readonly state: string;
  readonly count: number;
  /** Decimal text. */
  readonly sum: string;
}

const flowText = { "on-us": "own debit", "off-us": "debit from elsewhere", credit: "credit" } as const;

export interface ListedItem {
  readonly uetr: string;
  readonly bank: string;
  readonly amount: string;
  readonly row: number | null;
  readonly cause: string | null;
  /** State in which the close met it. */
  readonly stateAtClose: string;
  readonly attempts: number | null;
  readonly lastAnswer: number | null;
  /** What people found, and who; null: nobody has yet. */
  readonly found: string | null;
}

export function tableOf({ day, snapshots }: DayEvidence): readonly TableRow[] {
  return day.banks.flatMap(({ id, character }) => {
    const ended = day.transactions
      .filter(({ bank }) => bank === id)
      .map(({ uetr, flow }) => ({
        flow: flowText[flow],
        state: snapshots.get(uetr)?.state ?? "(lost)",
        sum: snapshots.get(uetr)?.amountTenThousandths ?? 0n,
      }));
    return [...Map.groupBy(ended, ({ flow, state }) => `${flow} ${state}`).values()]
      .map((those) => ({
        bank: id,
        character,
        flow: those[0]?.flow ?? "",
        state: those[0]?.state ?? "",
        count: those.length,
        sum: decimalText(those.reduce((total, { sum }) => total + sum, 0n)),
      }))
      .toSorted((a, b) => (`${a.flow} ${a.state}` < `${b.flow} ${b.state}` ? -1 : 1));
  });
}

export function reconciliationListOf({ day, snapshots }: DayEvidence): readonly ListedItem[] {
  return day.transactions.flatMap(({ uetr, bank, amount }) =>
    (snapshots.get(uetr)?.items ?? []).map((item) => ({
      uetr,
      bank,
      amount,
      row: item.row,
      cause: item.cause,
      stateAtClose: item.state,
      attempts: item.evidence?.attempts ?? null,
      lastAnswer: item.evidence?.httpStatusCode ?? null,
      found: foundText(item),
    })),
  );
}

function foundText({ resolution }: Item): string | null {
  if (resolution === null) return null;
  const { kind, action, confirmed } = resolution;
  return `${kind.toUpperCase().replace("-", "_")} (${[action.operator, ...(confirmed === null ? [] : [confirmed.action.operator])].join(", ")})`;
}

export interface SpecialDebit {
  readonly uetr: string;
  readonly bank: string;
  readonly kind: string;
  readonly messageIdentification: string;
  /** How often the same bytes were posted. */
  readonly posts: number;
  readonly state: string;
  /** What is recorded beside the states. */
  readonly remarks: readonly string[];
}

/** Every debit that is not one of the many good ones, by kind. */
export function specialsOf({ day, snapshots }: DayEvidence): readonly SpecialDebit[] {
  return day.transactions
    .filter(({ kind }) => !isOneOfMany(kind))
    .toSorted((a, b) => (a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1))
    .map(({ uetr, bank, kind, messageIdentification, posts }) => {
      const snapshot = snapshots.get(uetr);
      const remarks = snapshot?.remarks.last.map((remark) => remark.kind) ?? [];
      return { uetr, bank, kind: kind.replaceAll("-", " "), messageIdentification, posts, state: snapshot?.state ?? "(lost)", remarks };
    });
}

/** Columns as wide as they must be; numbers to the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (cell === null ? "–" : String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => row[column] === null || /^-?[\d.]+$/.test(String(row[column]))),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)].map((line) => `  ${line}`).join("\n");
}
