// The data of rule za-cdv: rows of weights by branch range and account type. Rules and data are separate; every
// decision names the version of its data, so an old one can be computed again.

import shipped from "../../../data/za-cdv.json" with { type: "json" };
import { createRangeIndex, type RangeIndex } from "../range-index.ts";

type Confidence = "high" | "medium" | "low" | "conflict";

export interface CdvRange {
  readonly bank: string;
  /** Inclusive ranges of six digits, as text. */
  readonly branchRanges: readonly (readonly [string, string])[];
  readonly accountTypes: readonly number[];
}

export interface CdvRow extends CdvRange {
  /** The 11 weights, leftmost on the leftmost of the padded digits; null: no base test. */
  readonly weights: readonly number[] | null;
  readonly fudge: number;
  /** The modulus; 0: no check digit test. */
  readonly modulus: number;
  readonly exception: string | null;
  /** 0: no number is required or checked; 1: zero is allowed; 2, 3, 4 and null: zero is not allowed. */
  readonly accountIndicator: number | null;
  /** Lengths of numbers as given to which the row applies; null: any. */
  readonly digitsAsGiven: readonly number[] | null;
  readonly confidence: Confidence;
  /** The condition in the row's notes for a number to which it applies; null: all numbers. */
  readonly condition: RowCondition | null;
  /** A remainder other than 0 that passes with the right digit at a position (imported tables only); null: none. */
  readonly accepts: AcceptedRemainder | null;
}

export type RowCondition = "standard-bank" | "nedbank-current" | "nedbank-savings";

export interface AcceptedRemainder {
  readonly remainder: number;
  readonly position: number;
  readonly digits: readonly number[];
}

export interface CdvContent {
  /** The version; for `za-cdv/1` it is 1. */
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

/** Adds the index of the branches. */
export function createCdvData({ version, rows, notVerifiable }: CdvContent): CdvData {
  const ranged = [
    ...rows.map((row) => ({ ranges: row.branchRanges, value: { kind: "row" as const, row, accountTypes: row.accountTypes } })),
    ...notVerifiable.map(({ branchRanges, accountTypes }) => ({
      ranges: branchRanges,
      value: { kind: "not-verifiable" as const, accountTypes },
    })),
  ];
  return { version, rows, notVerifiable, at: createRangeIndex<CdvEntry>(ranged) };
}

/** Conditions from the notes of the file, by the row's bank. */
const conditions: ReadonlyMap<string, RowCondition> = new Map([
  ["Standard Bank of South Africa", "standard-bank"],
  ["Nedbank, current", "nedbank-current"],
  ["Nedbank, savings", "nedbank-savings"],
]);

/** Reads the data file; throws if its form is wrong. */
function readCdvData(file: typeof shipped): CdvData {
  const version = /^za-cdv\/(.+)$/.exec(file.schema)?.[1];
  if (version === undefined) throw new Error("not data of rule za-cdv");
  const rows = file.rows.map((row): CdvRow => {
    if (row.weights !== null && row.weights.length !== 11) throw new Error(`${row.bank}: not 11 weights`);
    return {
      ...readRange(row),
      weights: row.weights,
      fudge: row.fudge ?? 0,
      modulus: row.modulus ?? 0,
      exception: row.exception,
      accountIndicator: row.accountIndicator,
      digitsAsGiven: row.digitsAsGiven,
      confidence: readConfidence(row.confidence),
      condition: conditions.get(row.bank) ?? null,
      accepts: null,
    };
  });
  return createCdvData({ version, rows, notVerifiable: file.notVerifiable.map(readRange) });
}

/** The data that ships: `data/za-cdv.json`. */
export const shippedCdvData: CdvData = readCdvData(shipped);

function readRange(entry: { bank: string; branchRanges: string[][]; accountTypes: number[] }): CdvRange {
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

function readConfidence(text: string): Confidence {
  if (text === "high" || text === "medium" || text === "low" || text === "conflict") return text;
  throw new Error("not a confidence");
}
