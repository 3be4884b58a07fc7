// `./sluice rules explain`: a decision computed again, step by step, by the same code that decided.

import { explainAccount, isRefusal } from "@sluice/account-validation";
import type { Explanation, ExactQuestion, Step } from "@sluice/account-validation";
import { questionOf } from "./rules-question.ts";
import { saying, terminal } from "./rules-terminal.ts";
import type { RunVerb } from "./verbs.ts";

export const runRulesExplain = saying("rules explain", (call, where) => {
  const { question, book } = questionOf(call, where);
  const explanation = explainAccount(question, book);
  const { answer, steps } = explanation;
  where.out(
    call.flag("json") ? JSON.stringify({ question, answer, isRefusal: isRefusal(answer), steps }, null, 2) : textOf(question, explanation),
  );
  return 0;
});

export const rulesExplain: RunVerb = (call) => Promise.resolve(runRulesExplain(call, terminal));

function textOf({ branch, account, direction, onDate }: ExactQuestion, { answer, steps }: Explanation): string {
  const { rule, version, result, reason } = answer;
  const at = branch === null ? "" : ` at ${branch}`;
  return [
    `${rule} version ${version}, ${direction} on ${onDate}: account ${account}${at}`,
    ...steps.flatMap(linesOf),
    `${result}${reason === null ? "" : ` (${reason})`}${isRefusal(answer) ? `: a ${direction} is refused` : ""}`,
  ].join("\n");
}

function linesOf(one: Step): readonly string[] {
  switch (one.step) {
    case "number":
      return [`read as ${one.digits ?? "more digits than are weighed"}`];
    case "type":
      return [`account type ${one.accountType}`];
    case "row":
      return [`row ${one.row}${labelled(", exception", one.exception)}${labelled(", confidence", one.confidence)}`];
    case "weighing":
      return weighingLines(one);
    case "finding":
      return [one.text];
    default:
      return [];
  }
}

function labelled(label: string, value: string | null): string {
  return value === null ? "" : `${label} ${value}`;
}

function weighingLines({ test, digits, weights, products, fudge, total, modulus, remainder }: Extract<Step, { step: "weighing" }>) {
  const columns = (values: readonly (number | string)[]): string => values.map((value) => String(value).padStart(4)).join("");
  return [
    `test ${test}`,
    `  digits  ${columns(digits.split(""))}`,
    `  weights ${columns(weights)}`,
    `  products${columns(products)}`,
    `  ${total - fudge} + fudge ${fudge} = ${total}; modulo ${modulus} leaves ${remainder}`,
  ];
}
