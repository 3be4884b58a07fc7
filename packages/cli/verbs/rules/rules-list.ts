// `./sluice rules list`: the rules, the versions of their data, and which version is in force.

import type { RuleName } from "@sluice/account-validation";
import { parseDateOption, reportRulesMisuse, rulesFolderOptions, asRulesVerb } from "./rules-terminal.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

interface ListedVersion {
  readonly rule: string;
  readonly version: string;
  readonly effectiveFrom: string;
  readonly effectiveTo: string | null;
  readonly origin: "shipped" | "imported";
  readonly isInForce: boolean;
}

export const runRulesList = reportRulesMisuse("rules list", async (call, where) => {
  const { firstEffectiveDate, ruleNames } = await import("@sluice/account-validation");
  const { readChosenRuleBook } = await import("./chosen-rules.ts");
  const book = readChosenRuleBook(call, where);
  const date = parseDateOption(call, "date", where.today());
  const listed = ruleNames.flatMap((rule) =>
    book[rule].map(({ version, effectiveFrom, effectiveTo, origin }): ListedVersion => {
      const isInForce = effectiveFrom <= date && (effectiveTo === null || date < effectiveTo);
      return { rule, version, effectiveFrom, effectiveTo, origin, isInForce };
    }),
  );
  where.out(
    call.flag("json")
      ? JSON.stringify({ schema: "RuleVersions", date, versions: listed }, null, 2)
      : formatTable(listed, ruleNames, firstEffectiveDate),
  );
  return 0;
});

export const rulesListVerb: Verb = {
  name: "rules list",
  summary: "the rules for accounts, the versions of their data, and which version is in force",
  arguments: [],
  options: {
    date: { type: "string", placeholder: "DATE", text: "in force on that day (today)" },
    ...rulesFolderOptions,
    json: jsonOption,
  },
  examples: ["rules list", "rules list --config infra/local/sluice.yaml --date 2026-11-20"],
  run: asRulesVerb(runRulesList),
};

function formatTable(listed: readonly ListedVersion[], ruleNames: readonly RuleName[], firstDate: string): string {
  const rows = listed.map(({ rule, version, effectiveFrom, effectiveTo, origin, isInForce }) => [
    rule,
    version,
    origin,
    `${effectiveFrom === firstDate ? "from the start" : `from ${effectiveFrom}`}${effectiveTo === null ? "" : ` until ${effectiveTo}`}`,
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
