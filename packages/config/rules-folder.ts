// The rule book of an operator: what ships, and what lies in the folder of imported rule data.

import { shippedRules } from "@sluice/account-validation";
import type { RuleBook } from "@sluice/account-validation";

/** Null: what ships alone. */
export function readRulesFolder(_path: string | null): RuleBook {
  return shippedRules;
}
