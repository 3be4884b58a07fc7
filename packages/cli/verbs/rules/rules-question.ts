// Builds a question about an account from the options of a command line.

import { readRulesFolder } from "@sluice/config";
import { type ExactQuestion, type RuleBook, ruleNames } from "@sluice/account-validation";
import { chosenRules } from "./chosen-rules.ts";
import { misuse, parseChoiceOption, parseDateOption, type RulesTerminal } from "./rules-terminal.ts";
import type { VerbCall } from "../../terminal/verb.ts";

const accountTypes = ["1", "2", "3", "4", "6"];

export function parseAccountQuestion(call: VerbCall, where: RulesTerminal): { readonly question: ExactQuestion; readonly book: RuleBook } {
  const account = call.value("account");
  if (account === null) throw misuse("--account is missing");
  const { folder, refuseOn } = chosenRules(call, where);
  const book = readRulesFolder(folder);
  const rule = parseChoiceOption(call, "rule", ruleNames, null);
  const version = call.value("rule-version");
  if (version !== null && !book[rule].some((one) => one.version === version))
    throw misuse(`${rule} has no version ${version}; ./sluice rules list names all`);
  const question = {
    rule,
    branch: call.value("branch"),
    account,
    ...parseType(call.value("type")),
    direction: parseChoiceOption(call, "direction", ["debit", "credit"], "debit"),
    refuseOn: parseChoiceOption(call, "refuse-on", ["high", "medium"], refuseOn),
    onDate: parseDateOption(call, "date", where.today()),
    version,
  };
  return { question, book };
}

/** Accepts 1, 2, 3, 4, 6, or the code of a message. Another code is an unknown type, as in a message. */
function parseType(given: string | null): Pick<ExactQuestion, "accountType" | "accountTypeCode"> {
  if (given === null || /^[A-Z]{4}$/.test(given)) return { accountType: null, accountTypeCode: given };
  if (accountTypes.includes(given)) return { accountType: Number(given), accountTypeCode: null };
  throw misuse(`--type is one of ${accountTypes.join(", ")}, or a code such as CACC`);
}
