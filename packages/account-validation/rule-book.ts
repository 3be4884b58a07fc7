// The rule book: for each rule its data, version by version, each from a date on. Rules are code, data is not: a decision names the
// version it was made with, and is computed again with it.
//
// #1 On any date one version of a rule at most is in force, and which one never depends on when it is asked.
// #2 A version is never changed. A correction is a new version; of two from the same date the later one in the book is in force, and the
//    earlier one is still there by its name.

import { ibanVersion } from "./iban.ts";
import type { UkModulusData } from "./uk-modulus-data.ts";
import { zaCdv } from "./za-cdv-data.ts";
import type { CdvData } from "./za-cdv-data.ts";

export const ruleNames = ["za-cdv", "iban", "uk-modulus"] as const;
export type RuleName = (typeof ruleNames)[number];

export interface RuleVersion<Data> {
  readonly version: string;
  /** First date that it is in force on, YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** First date that it is no longer in force on; null: none is known. */
  readonly effectiveTo: string | null;
  /** Came with Sluice, or was imported by the operator. */
  readonly origin: "shipped" | "imported";
  readonly data: Data;
}

export interface RuleData {
  readonly "za-cdv": CdvData;
  /** The rule is its library; there is no data. */
  readonly iban: null;
  readonly "uk-modulus": UkModulusData;
}

export type RuleBook = { readonly [Name in RuleName]: readonly RuleVersion<RuleData[Name]>[] };

/** What ships is in force from the first day. */
export const firstDate = "0001-01-01";

/** What ships alone: no table of rule uk-modulus is among it. */
export const shippedRules: RuleBook = {
  "za-cdv": [{ version: zaCdv.version, effectiveFrom: firstDate, effectiveTo: null, origin: "shipped", data: zaCdv }],
  iban: [{ version: ibanVersion, effectiveFrom: firstDate, effectiveTo: null, origin: "shipped", data: null }],
  "uk-modulus": [],
};

/** Versions in the order of taking effect, each ended by the next. Of equal dates the later given one comes later. */
export function inOrder<Data>(versions: readonly Omit<RuleVersion<Data>, "effectiveTo">[]): readonly RuleVersion<Data>[] {
  const sorted = versions.toSorted((a, b) => compare(a.effectiveFrom, b.effectiveFrom));
  return sorted.map((one, index) => ({ ...one, effectiveTo: sorted[index + 1]?.effectiveFrom ?? null }));
}

/** In force on a date; null: none is. */
export function versionOn<Data>(versions: readonly RuleVersion<Data>[], date: string): RuleVersion<Data> | null {
  const isInForce = ({ effectiveFrom, effectiveTo }: RuleVersion<Data>): boolean =>
    effectiveFrom <= date && (effectiveTo === null || date < effectiveTo);
  return versions.find(isInForce) ?? null;
}

/** By its name; null: the book has none of that name. */
export function versionNamed<Data>(versions: readonly RuleVersion<Data>[], version: string): RuleVersion<Data> | null {
  return versions.find((one) => one.version === version) ?? null;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
