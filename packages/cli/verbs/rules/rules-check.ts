// `./sluice rules check`: what a rule says about one account. The result is data, so the exit code is 0 in any case.

import { explainAccount, isRefusal } from "@sluice/account-validation";
import { parseAccountQuestion } from "./rules-question.ts";
import { reportRulesMisuse, rulesTerminal } from "./rules-terminal.ts";
import type { RunVerb } from "../../terminal/verb.ts";

export const runRulesCheck = reportRulesMisuse("rules check", (call, where) => {
  const { question, book } = parseAccountQuestion(call, where);
  const { answer } = explainAccount(question, book);
  const { result, rule, version, reason } = answer;
  const refused = isRefusal(answer) ? `; a ${question.direction} is refused` : "";
  where.out(
    call.flag("json") ? JSON.stringify(answer) : `${result}${reason === null ? "" : ` (${reason})`}, ${rule} version ${version}${refused}`,
  );
  return 0;
});

export const rulesCheck: RunVerb = (call) => Promise.resolve(runRulesCheck(call, rulesTerminal));
