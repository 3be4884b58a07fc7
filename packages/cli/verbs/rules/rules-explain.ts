// `./sluice rules explain`: computes a decision again, step by step, with the code that decided.

import type { CheckStep, ExactQuestion, Explanation } from "@sluice/account-validation";
import { questionOptions } from "./question-options.ts";
import { reportRulesMisuse, asRulesVerb } from "./rules-terminal.ts";
import type { Verb } from "../../terminal/verb.ts";

export const runRulesExplain = reportRulesMisuse("rules explain", async (call, where) => {
  const { explainAccount, isRefusal } = await import("@sluice/account-validation");
  const { parseAccountQuestion } = await import("./rules-question.ts");
  const { question, book } = parseAccountQuestion(call, where);
  const explanation = explainAccount(question, book);
  const { answer, steps } = explanation;
  where.out(
    call.flag("json")
      ? JSON.stringify({ schema: "AccountExplanation", question, answer, isRefusal: isRefusal(answer), steps }, null, 2)
      : formatExplanation(question, explanation, isRefusal(answer)),
  );
  return 0;
});

export const rulesExplainVerb: Verb = {
  name: "rules explain",
  summary: "computes a decision again, step by step: digits, weights, products, remainder",
  arguments: [],
  options: questionOptions,
  notes: [
    "Exit 0 whatever the result is.",
    "For an old decision give what the timeline shows (./sluice tx): rule, version, branch, type, direction, date of receipt.",
  ],
  examples: ["rules explain --rule za-cdv --branch 051001 --account 10004291601 --type 1"],
  run: asRulesVerb(runRulesExplain),
};

function formatExplanation(
  { branch, account, direction, onDate }: ExactQuestion,
  { answer, steps }: Explanation,
  isRefused: boolean,
): string {
  const { rule, version, result, reason } = answer;
  const at = branch === null ? "" : ` at ${branch}`;
  return [
    `${rule} version ${version}, ${direction} on ${onDate}: account ${account}${at}`,
    ...steps.flatMap(formatStep),
    `${result}${reason === null ? "" : ` (${reason})`}${isRefused ? `: a ${direction} is refused` : ""}`,
  ].join("\n");
}

function formatStep(one: CheckStep): readonly string[] {
  switch (one.step) {
    case "number":
      return [`read as ${one.digits ?? "more digits than are weighed"}`];
    case "type":
      return [`account type ${one.accountType}`];
    case "row":
      return [`row ${one.row}${withLabel(", exception", one.exception)}${withLabel(", confidence", one.confidence)}`];
    case "weighing":
      return weighingLines(one);
    case "finding":
      return [one.text];
    default:
      return [];
  }
}

function withLabel(label: string, value: string | null): string {
  return value === null ? "" : `${label} ${value}`;
}

function weighingLines({ test, digits, weights, products, fudge, total, modulus, remainder }: Extract<CheckStep, { step: "weighing" }>) {
  const columns = (values: readonly (number | string)[]): string => values.map((value) => String(value).padStart(4)).join("");
  return [
    `test ${test}`,
    `  digits  ${columns(digits.split(""))}`,
    `  weights ${columns(weights)}`,
    `  products${columns(products)}`,
    `  ${total - fudge} + fudge ${fudge} = ${total}; modulo ${modulus} leaves ${remainder}`,
  ];
}
