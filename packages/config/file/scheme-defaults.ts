// What a scheme of the file has where the file says nothing: the defaults of its row in the table of schemes.

import { type GenericRuleName, genericRuleNames } from "@sluice/account-validation";
import type { SchemeDefaults } from "@sluice/domain/schemes";
import type { shippedCalendars } from "../calendars/calendar-schema.ts";

/** The rules that a scheme may choose for account numbers of the schema GENERIC. */
export const accountRules = [...genericRuleNames, "none"] as const;
export type SchemeAccountRule = GenericRuleName | "none";

/** Rows name a calendar that ships and a rule that exists; the type checker refuses another. */
export type RowDefaults = SchemeDefaults<(typeof shippedCalendars)[number], SchemeAccountRule>;

interface Members {
  readonly currencies: readonly string[];
  readonly calendar: string;
  readonly processing: readonly { readonly opens: string; readonly closes: string }[];
  readonly reconciliation: string;
  readonly accountRule: SchemeAccountRule;
}
type Given = { readonly [Name in keyof Members]?: Members[Name] | undefined };
type Filling = { readonly ok: true; readonly members: Members } | { readonly ok: false; readonly missing: readonly (keyof Members)[] };

/** Fills in what the file leaves out, or names the members that neither the file nor the row has. */
export function fillFromRow(given: Given, row: RowDefaults): Filling {
  const currencies = given.currencies ?? row.currencies;
  const calendar = given.calendar ?? row.calendar;
  const processing = given.processing ?? row.processing;
  const reconciliation = given.reconciliation ?? row.reconciliation;
  const accountRule = given.accountRule ?? row.accountRule;
  if (currencies !== null && calendar !== null && processing !== null && reconciliation !== null && accountRule !== null)
    return { ok: true, members: { currencies, calendar, processing, reconciliation, accountRule } };
  const names = ["currencies", "calendar", "processing", "reconciliation", "accountRule"] as const;
  return { ok: false, missing: names.filter((name) => (given[name] ?? row[name]) === null) };
}
