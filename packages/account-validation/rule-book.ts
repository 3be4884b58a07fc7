// The rule book: the data of each rule, version by version, each from a date on. Rules are code and data is not: a
// decision names the version of its data and is computed again with it.
//
// #1 On any date at most one version of a rule is in force, and which one never depends on when it is asked.
// #2 A version never changes. A correction is a new version. Of two from the same date the later one in the book is in
//    force, and the earlier one can still be found by its name.

import { ibanVersion } from "./iban/iban.ts";
import type { UkModulusData } from "./uk-modulus/data.ts";
import { type CdvData, shippedCdvData } from "./za-cdv/data.ts";

export const ruleNames = ["za-cdv", "iban", "uk-modulus"] as const;
export type RuleName = (typeof ruleNames)[number];

export interface RuleVersion<Data> {
  readonly version: string;
  /** The first date on which it is in force, YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** The first date on which it is no longer in force; null: none is known. */
  readonly effectiveTo: string | null;
  /** Whether it ships with Sluice or was imported by an operator. */
  readonly origin: "shipped" | "imported";
  readonly data: Data;
}

export interface RuleData {
  readonly "za-cdv": CdvData;
  /** The rule is a library and has no data. */
  readonly iban: null;
  readonly "uk-modulus": UkModulusData;
}

export type RuleBook = { readonly [Name in RuleName]: readonly RuleVersion<RuleData[Name]>[] };

/** The first date of everything that ships. */
export const firstEffectiveDate = "0001-01-01";

/** The rules and data that ship; a table of rule uk-modulus is not among them. */
export const shippedRules: RuleBook = {
  "za-cdv": [
    { version: shippedCdvData.version, effectiveFrom: firstEffectiveDate, effectiveTo: null, origin: "shipped", data: shippedCdvData },
  ],
  iban: [{ version: ibanVersion, effectiveFrom: firstEffectiveDate, effectiveTo: null, origin: "shipped", data: null }],
  "uk-modulus": [],
};

/**
 * Sorts versions by the date on which they take effect; each ends the one before it. Of equal dates the later given one
 * comes later.
 */
export function orderRuleVersions<Data>(versions: readonly Omit<RuleVersion<Data>, "effectiveTo">[]): readonly RuleVersion<Data>[] {
  const sorted = versions.toSorted((a, b) => compare(a.effectiveFrom, b.effectiveFrom));
  return sorted.map((one, index) => ({ ...one, effectiveTo: sorted[index + 1]?.effectiveFrom ?? null }));
}

/** Returns the version in force on a date; null: none is. */
export function ruleVersionOn<Data>(versions: readonly RuleVersion<Data>[], date: string): RuleVersion<Data> | null {
  const isInForce = ({ effectiveFrom, effectiveTo }: RuleVersion<Data>): boolean =>
    effectiveFrom <= date && (effectiveTo === null || date < effectiveTo);
  return versions.find(isInForce) ?? null;
}

/** Returns the version of this name; null: the book has none. */
export function ruleVersionNamed<Data>(versions: readonly RuleVersion<Data>[], version: string): RuleVersion<Data> | null {
  return versions.find((one) => one.version === version) ?? null;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
