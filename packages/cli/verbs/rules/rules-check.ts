// `./sluice rules check`: what a rule says about one account. The result is data, so the exit code is 0 in any case.

import { questionOptions } from "./question-options.ts";
import { reportRulesMisuse, asRulesVerb } from "./rules-terminal.ts";
import type { Verb } from "../../terminal/verb.ts";

export const runRulesCheck = reportRulesMisuse("rules check", async (call, where) => {
  const { explainAccount, isRefusal } = await import("@sluice/account-validation");
  const { parseAccountQuestion } = await import("./rules-question.ts");
  const { question, book } = parseAccountQuestion(call, where);
  const { answer } = explainAccount(question, book);
  const { result, rule, version, reason } = answer;
  const refused = isRefusal(answer) ? `; a ${question.direction} is refused` : "";
  where.out(
    call.flag("json") ? JSON.stringify(answer) : `${result}${reason === null ? "" : ` (${reason})`}, ${rule} version ${version}${refused}`,
  );
  return 0;
});

export const rulesCheckVerb: Verb = {
  name: "rules check",
  summary: "what a rule says about an account: valid, invalid, not-verifiable or warning",
  arguments: [],
  options: questionOptions,
  notes: ["Exit 0 whatever the result is."],
  examples: ["rules check --rule za-cdv --branch 051001 --account 10004291601 --type 1 --json"],
  run: asRulesVerb(runRulesCheck),
};
