// The data of rule uk-modulus: the table of sort codes (valacdos) and the substitutions of sort codes (scsubtab). Neither ships: an
// operator imports both.

import { rangeIndex } from "./range-index.ts";
import type { RangeIndex } from "./range-index.ts";

export const ukMethods = ["MOD10", "MOD11", "DBLAL"] as const;
export type UkMethod = (typeof ukMethods)[number];

export interface UkRow {
  /** Inclusive, six digits each. */
  readonly sortCodes: readonly [string, string];
  readonly method: UkMethod;
  /** 14: of u v w x y z a b c d e f g h. May be negative. */
  readonly weights: readonly number[];
  /** Null: none. */
  readonly exception: number | null;
}

export interface UkModulusContent {
  /** In the table's order: of two rows of a sort code the first is the first check. */
  readonly rows: readonly UkRow[];
  /** Sort code by the sort code given; null: no substitution file was imported. */
  readonly substitutions: Readonly<Record<string, string>> | null;
}

export interface UkModulusData extends UkModulusContent {
  readonly at: RangeIndex<UkRow>;
}

/** With the sort codes looked up. */
export function ukModulusData({ rows, substitutions }: UkModulusContent): UkModulusData {
  return { rows, substitutions, at: rangeIndex(rows.map((row) => ({ ranges: [row.sortCodes], value: row }))) };
}
