// `./sluice rules list`: the rules, the versions of their data, and which version is in force.

import { firstEffectiveDate, ruleNames } from "@sluice/account-validation";
import { parseDateOption, readChosenRuleBook, reportRulesMisuse, rulesTerminal } from "./rules-terminal.ts";
import type { RunVerb } from "../../terminal/verb.ts";

interface ListedVersion {
  readonly rule: string;
  readonly version: string;
  readonly effectiveFrom: string;
  readonly effectiveTo: string | null;
  readonly origin: "shipped" | "imported";
  readonly isInForce: boolean;
}

export const runRulesList = reportRulesMisuse("rules list", (call, where) => {
  const book = readChosenRuleBook(call, where);
  const date = parseDateOption(call, "date", where.today());
  const listed = ruleNames.flatMap((rule) =>
    book[rule].map(({ version, effectiveFrom, effectiveTo, origin }): ListedVersion => {
      const isInForce = effectiveFrom <= date && (effectiveTo === null || date < effectiveTo);
      return { rule, version, effectiveFrom, effectiveTo, origin, isInForce };
    }),
  );
  where.out(call.flag("json") ? JSON.stringify({ date, versions: listed }, null, 2) : formatTable(listed));
  return 0;
});

export const rulesList: RunVerb = (call) => Promise.resolve(runRulesList(call, rulesTerminal));

function formatTable(listed: readonly ListedVersion[]): string {
  const rows = listed.map(({ rule, version, effectiveFrom, effectiveTo, origin, isInForce }) => [
    rule,
    version,
    origin,
    `${effectiveFrom === firstEffectiveDate ? "from the start" : `from ${effectiveFrom}`}${effectiveTo === null ? "" : ` until ${effectiveTo}`}`,
    isInForce ? "in force" : "",
  ]);
  const none = ruleNames.filter((rule) => !listed.some((one) => one.rule === rule)).map((rule) => [rule, "no data"]);
  const all = [...rows, ...none];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
