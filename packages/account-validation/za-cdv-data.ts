// The data of rule za-cdv: rows of weights by branch range and account type. Rules and data are apart; every decision names
// the data's version, so an old one can be computed again.

import shipped from "../../data/za-cdv.json" with { type: "json" };

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
}

export interface CdvData {
  /** Of `za-cdv/1` the 1. */
  readonly version: string;
  readonly rows: readonly CdvRow[];
  readonly notVerifiable: readonly CdvRange[];
}

/** Reads the file's form; throws on what is not that. */
export function readCdvData(file: typeof shipped): CdvData {
  const version = /^za-cdv\/(.+)$/.exec(file.schema)?.[1];
  if (version === undefined) throw new Error("not data of rule za-cdv");
  return {
    version,
    rows: file.rows.map((row) => {
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
      };
    }),
    notVerifiable: file.notVerifiable.map(rangeOf),
  };
}

/** What ships: `data/za-cdv.json`. */
export const zaCdv: CdvData = readCdvData(shipped);

function rangeOf(entry: { bank: string; branchRanges: string[][]; accountTypes: number[] }): CdvRange {
  const branchRanges = entry.branchRanges.map(([from, to]) => {
    if (from === undefined || to === undefined || !isBranch(from) || !isBranch(to))
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
