// `./sluice rules check`: what a rule says of one account. The result is data, so the exit code is 0 whatever it is.

import { explainAccount, isRefusal } from "@sluice/account-validation";
import { questionOf } from "./rules-question.ts";
import { saying, terminal } from "./rules-terminal.ts";
import type { RunVerb } from "./verbs.ts";

export const runRulesCheck = saying("rules check", (call, where) => {
  const { question, book } = questionOf(call, where);
  const { answer } = explainAccount(question, book);
  const { result, rule, version, reason } = answer;
  const refused = isRefusal(answer) ? `; a ${question.direction} is refused` : "";
  where.out(
    call.flag("json") ? JSON.stringify(answer) : `${result}${reason === null ? "" : ` (${reason})`}, ${rule} version ${version}${refused}`,
  );
  return 0;
});

export const rulesCheck: RunVerb = (call) => Promise.resolve(runRulesCheck(call, terminal));
