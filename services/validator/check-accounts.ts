// The accounts of a payment. Every question is kept with its answer and the version of the data, whether it refuses or
// not.
//
//   IBAN      rule iban
//   GENERIC   the scheme's rule, or none; the data in force on the date of receipt
//   a proxy   no rule: not verifiable

import {
  type AccountAnswer,
  type AccountQuestion,
  checkAccount,
  hasBranchForm,
  isRefusal,
  type RuleBook,
  type RuleName,
} from "@sluice/account-validation";
import type { Configuration, Scheme } from "@sluice/config";
import type { PaymentAccount, Reason, RuleDecision } from "@sluice/contracts";
import type { AccountSide } from "./payment.ts";

export interface AccountChecks {
  readonly reasons: readonly Reason[];
  readonly decisions: readonly RuleDecision[];
}

/** The rules that check the accounts: those in force on a date, as the scheme chooses. */
export interface AccountRules {
  readonly book: RuleBook;
  /** The date of receipt in the scheme's zone. */
  readonly onDate: string;
  readonly accountRule: Scheme["accountRule"];
  readonly refuseOn: Configuration["cdv"]["refuseOn"];
}

export function checkAccounts(sides: readonly AccountSide[], rules: AccountRules): AccountChecks {
  const checks = sides.map((side) => checkSide(side, rules));
  return { reasons: checks.flatMap(({ reasons }) => reasons), decisions: checks.flatMap(({ decisions }) => decisions) };
}

function checkSide(side: AccountSide, rules: AccountRules): AccountChecks {
  const { account, given, agent, direction } = side;
  const { identification } = given;
  if (identification === null) return skipRules(account, "proxy");
  const isIban = identification.schema === "IBAN";
  const rule = isIban ? "iban" : rules.accountRule;
  if (rule === "none") return skipRules(account, "none");
  const branch = isIban ? null : (agent.branch?.identification ?? null);
  const { onDate, refuseOn, book } = rules;
  const question: AccountQuestion = {
    rule,
    branch,
    account: identification.value,
    accountTypeCode: readTypeCode(given),
    direction,
    refuseOn,
    onDate,
  };
  const answer = checkAccount(question, book);
  return { reasons: [...checkBranch(branch, rule, answer), ...buildRefusals(side, answer)], decisions: [{ account, ...answer }] };
}

function readTypeCode({ type }: PaymentAccount): string | null {
  return type?.schema === "CODE" ? type.value : null;
}

function checkBranch(branch: string | null, rule: RuleName, { version }: AccountAnswer): readonly Reason[] {
  return branch === null || hasBranchForm(rule, branch) ? [] : [{ code: "AC08", text: `${rule}/${version} branch-form` }];
}

function buildRefusals({ code }: AccountSide, answer: AccountAnswer): readonly Reason[] {
  if (!isRefusal(answer)) return [];
  const text = `${answer.rule}/${answer.version} ${answer.reason}`;
  return [{ code: answer.reason === "direction" ? "AC13" : code, text }];
}

function skipRules(account: AccountSide["account"], rule: "proxy" | "none"): AccountChecks {
  return { reasons: [], decisions: [{ account, rule, version: "none", result: "not-verifiable", reason: "no-rule" }] };
}
