// The data of rule za-cdv: rows of weights by branch range and account type. Rules and data are apart; every decision names
// the data's version, so an old one can be computed again.

import shipped from "../../data/za-cdv.json" with { type: "json" };
import { rangeIndex } from "./range-index.ts";
import type { RangeIndex } from "./range-index.ts";

export type Confidence = "high" | "medium" | "low" | "conflict";

export interface CdvRange {
  readonly bank: string;
  /** Inclusive, six digits as text. */
  readonly branchRanges: readonly (readonly [string, string])[];
  readonly accountTypes: readonly number[];
}

export interface CdvRow extends CdvRange {
  /** 11, leftmost on the leftmost of the padded digits; null: no base test. */
  readonly weights: readonly number[] | null;
  readonly fudge: number;
  /** 0: no check digit test. */
  readonly modulus: number;
  readonly exception: string | null;
  /** 0: no number required, no check; 1: zero allowed; 2, 3, 4 and null: zero not allowed. */
  readonly accountIndicator: number | null;
  /** Lengths, as given, that the row is about; null: any. */
  readonly digitsAsGiven: readonly number[] | null;
  readonly confidence: Confidence;
  /** What the row's notes say that it is about; null: all numbers. */
  readonly condition: RowCondition | null;
  /** A remainder other than 0 that passes with the right digit at a position; null: none. From imported tables. */
  readonly accepts: AcceptedRemainder | null;
}

export type RowCondition = "standard-bank" | "nedbank-current" | "nedbank-savings";

export interface AcceptedRemainder {
  readonly remainder: number;
  readonly position: number;
  readonly digits: readonly number[];
}

export interface CdvContent {
  /** Of `za-cdv/1` the 1. */
  readonly version: string;
  readonly rows: readonly CdvRow[];
  readonly notVerifiable: readonly CdvRange[];
}

export interface CdvData extends CdvContent {
  readonly at: RangeIndex<CdvEntry>;
}

export type CdvEntry =
  | { readonly kind: "row"; readonly row: CdvRow; readonly accountTypes: readonly number[] }
  | { readonly kind: "not-verifiable"; readonly accountTypes: readonly number[] };

/** With the branches looked up. */
export function cdvData({ version, rows, notVerifiable }: CdvContent): CdvData {
  const ranged = [
    ...rows.map((row) => ({ ranges: row.branchRanges, value: { kind: "row" as const, row, accountTypes: row.accountTypes } })),
    ...notVerifiable.map(({ branchRanges, accountTypes }) => ({
      ranges: branchRanges,
      value: { kind: "not-verifiable" as const, accountTypes },
    })),
  ];
  return { version, rows, notVerifiable, at: rangeIndex<CdvEntry>(ranged) };
}

/** Notes of the file that say which numbers a row is about, by the row's bank. */
const conditions: ReadonlyMap<string, RowCondition> = new Map([
  ["Standard Bank of South Africa", "standard-bank"],
  ["Nedbank, current", "nedbank-current"],
  ["Nedbank, savings", "nedbank-savings"],
]);

/** Reads the file's form; throws on what is not that. */
export function readCdvData(file: typeof shipped): CdvData {
  const version = /^za-cdv\/(.+)$/.exec(file.schema)?.[1];
  if (version === undefined) throw new Error("not data of rule za-cdv");
  const rows = file.rows.map((row): CdvRow => {
    if (row.weights !== null && row.weights.length !== 11) throw new Error(`${row.bank}: not 11 weights`);
    return {
      ...rangeOf(row),
      weights: row.weights,
      fudge: row.fudge ?? 0,
      modulus: row.modulus ?? 0,
      exception: row.exception,
      accountIndicator: row.accountIndicator,
      digitsAsGiven: row.digitsAsGiven,
      confidence: confidenceOf(row.confidence),
      condition: conditions.get(row.bank) ?? null,
      accepts: null,
    };
  });
  return cdvData({ version, rows, notVerifiable: file.notVerifiable.map(rangeOf) });
}

/** What ships: `data/za-cdv.json`. */
export const zaCdv: CdvData = readCdvData(shipped);

function rangeOf(entry: { bank: string; branchRanges: string[][]; accountTypes: number[] }): CdvRange {
  const branchRanges = entry.branchRanges.map(([from, to]) => {
    if (from === undefined || to === undefined || !isBranch(from) || !isBranch(to) || from > to)
      throw new Error(`${entry.bank}: not a range of branches`);
    return [from, to] as const;
  });
  return { bank: entry.bank, branchRanges, accountTypes: entry.accountTypes };
}

export function isBranch(text: string): boolean {
  return /^\d{6}$/.test(text);
}

function confidenceOf(text: string): Confidence {
  if (text === "high" || text === "medium" || text === "low" || text === "conflict") return text;
  throw new Error("not a confidence");
}
