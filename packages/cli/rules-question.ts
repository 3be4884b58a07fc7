// A question about an account from the options of a command line.

import { readRulesFolder } from "@sluice/config";
import { ruleNames } from "@sluice/account-validation";
import type { ExactQuestion, RuleBook } from "@sluice/account-validation";
import { chosenRules, dateOf, oneOf, wrongUse } from "./rules-terminal.ts";
import type { RulesTerminal } from "./rules-terminal.ts";
import type { Call } from "./verbs.ts";

const accountTypes = ["1", "2", "3", "4", "6"];

export function questionOf(call: Call, where: RulesTerminal): { readonly question: ExactQuestion; readonly book: RuleBook } {
  const account = call.value("account");
  if (account === null) throw wrongUse("--account is missing");
  const { folder, refuseOn } = chosenRules(call, where);
  const book = readRulesFolder(folder);
  const rule = oneOf(call, "rule", ruleNames, null);
  const version = call.value("rule-version");
  if (version !== null && !book[rule].some((one) => one.version === version))
    throw wrongUse(`${rule} has no version ${version}; ./sluice rules list names all`);
  const question = {
    rule,
    branch: call.value("branch"),
    account,
    ...typeOf(call.value("type")),
    direction: oneOf(call, "direction", ["debit", "credit"], "debit"),
    refuseOn: oneOf(call, "refuse-on", ["high", "medium"], refuseOn),
    onDate: dateOf(call, "date", where.today()),
    version,
  };
  return { question, book };
}

/** 1, 2, 3, 4, 6, or the code of a message; a code that names none of them is an unknown type, as in a message. */
function typeOf(given: string | null): Pick<ExactQuestion, "accountType" | "accountTypeCode"> {
  if (given === null || /^[A-Z]{4}$/.test(given)) return { accountType: null, accountTypeCode: given };
  if (accountTypes.includes(given)) return { accountType: Number(given), accountTypeCode: null };
  throw wrongUse(`--type is one of ${accountTypes.join(", ")}, or a code such as CACC`);
}
