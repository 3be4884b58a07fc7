// The data of rule uk-modulus: the table of sort codes (valacdos) and the substitutions of sort codes (scsubtab).
// Neither ships: an operator imports both.

import { createRangeIndex, type RangeIndex } from "../range-index.ts";

export const ukMethods = ["MOD10", "MOD11", "DBLAL"] as const;
export type UkMethod = (typeof ukMethods)[number];

export interface UkRow {
  /** First and last sort code, six digits each. */
  readonly sortCodes: readonly [string, string];
  readonly method: UkMethod;
  /** The 14 weights of u v w x y z a b c d e f g h; they can be negative. */
  readonly weights: readonly number[];
  /** Number of the exception; null: none. */
  readonly exception: number | null;
}

export interface UkModulusContent {
  /** In the table's order: the first of two rows of a sort code is the first check. */
  readonly rows: readonly UkRow[];
  /** Substitutes by sort code; null: no substitution file was imported. */
  readonly substitutions: Readonly<Record<string, string>> | null;
}

export interface UkModulusData extends UkModulusContent {
  readonly at: RangeIndex<UkRow>;
}

/** Adds the index of the sort codes. */
export function createUkModulusData({ rows, substitutions }: UkModulusContent): UkModulusData {
  return { rows, substitutions, at: createRangeIndex(rows.map((row) => ({ ranges: [row.sortCodes], value: row }))) };
}
