// One question about one account, whatever the rule. The answer names the rule, the version of its data and a reason
// code, so that it can be computed again.

import { checkIban } from "./iban/iban.ts";
import type { RuleVerdict, ReasonCode, CheckResult } from "./rule-verdict.ts";
import { type RuleBook, type RuleData, type RuleName, ruleNames, ruleVersionNamed, ruleVersionOn } from "./rule-book.ts";
import type { StepListener, CheckStep } from "./check-steps.ts";
import { checkUkModulus } from "./uk-modulus/uk-modulus.ts";
import { checkZaCdv } from "./za-cdv/za-cdv.ts";

export interface AccountQuestion {
  readonly rule: RuleName;
  /** Branch or sort code as given; null: none was given. */
  readonly branch: string | null;
  /** The account number, or the IBAN. */
  readonly account: string;
  /** Code of the account's type: CACC, SVGS, TRAN or LOAN; null or another code: unknown. */
  readonly accountTypeCode: string | null;
  readonly direction: "debit" | "credit";
  /** The lowest confidence of a row that refuses a failing number. Imported data is of high confidence. */
  readonly refuseOn: "high" | "medium";
  /** YYYY-MM-DD: the data in force on this date decides. */
  readonly onDate: string;
}

/** A question about an old decision, as it was asked then. */
export interface ExactQuestion extends AccountQuestion {
  /** Version of the rule's data; null: the one in force on the date. */
  readonly version: string | null;
  /** 1 current, 2 savings, 3 transmission, 4 bond, 6 subscription share; null: by the code. */
  readonly accountType: number | null;
}

export interface AccountAnswer {
  readonly result: CheckResult;
  readonly rule: string;
  /** `none` if the book has no data for the date, or not the version asked for. */
  readonly version: string;
  readonly reason: ReasonCode | null;
}

const accountTypes: ReadonlyMap<string, number> = new Map([
  ["CACC", 1],
  ["SVGS", 2],
  ["TRAN", 3],
  ["LOAN", 4],
]);

interface Rule<Name extends RuleName> {
  /** The schema of the numbers that it checks. Schemes choose among the rules for GENERIC numbers. */
  readonly numbers: "GENERIC" | "IBAN";
  /** The form of a branch; null: the rule has no use for one. */
  readonly branch: RegExp | null;
  readonly check: (question: ExactQuestion, data: RuleData[Name], note: StepListener) => RuleVerdict;
}

type Rules = { readonly [Name in RuleName]: Rule<Name> };

const sixDigits = /^\d{6}$/;

const rules = {
  "za-cdv": {
    numbers: "GENERIC",
    branch: sixDigits,
    check: (question, data, note) => {
      const accountType = question.accountType ?? accountTypes.get(question.accountTypeCode ?? "") ?? null;
      return checkZaCdv({ ...question, accountType }, data, note);
    },
  },
  iban: { numbers: "IBAN", branch: null, check: (question, _data, note) => checkIban(question.account, note) },
  "uk-modulus": { numbers: "GENERIC", branch: sixDigits, check: checkUkModulus },
} as const satisfies Rules;

export type GenericRuleName = { [Name in RuleName]: (typeof rules)[Name]["numbers"] extends "GENERIC" ? Name : never }[RuleName];

/** The rules that a scheme may choose for account numbers of the schema GENERIC. */
export const genericRuleNames = ruleNames.filter((name): name is GenericRuleName => rules[name].numbers === "GENERIC");

/** Tells whether the rule could know a branch of this form. */
export function hasBranchForm(rule: RuleName, branch: string): boolean {
  return rules[rule].branch?.test(branch) ?? true;
}

export function checkAccount(question: AccountQuestion, book: RuleBook): AccountAnswer {
  return answer({ ...question, version: null, accountType: null }, book[question.rule], null);
}

export interface Explanation {
  readonly answer: AccountAnswer;
  /** The steps that lead to the answer, computed now by the same code. */
  readonly steps: readonly CheckStep[];
}

/** Computes an answer with its steps, for now or for the date or version of an old decision. */
export function explainAccount(question: ExactQuestion, book: RuleBook): Explanation {
  const steps: CheckStep[] = [];
  return { answer: answer(question, book[question.rule], (step) => steps.push(step)), steps };
}

function answer<Name extends RuleName>(
  question: ExactQuestion & { readonly rule: Name },
  versions: RuleBook[Name],
  note: StepListener,
): AccountAnswer {
  const { rule, version, onDate } = question;
  const table: Rules = rules;
  const { check } = table[rule];
  const chosen = version === null ? ruleVersionOn(versions, onDate) : ruleVersionNamed(versions, version);
  if (chosen === null) return { result: "not-verifiable", rule, version: "none", reason: "no-rule" };
  const { result, reason } = check(question, chosen.data, note);
  return { result, rule, version: chosen.version, reason };
}

/** True if a debit or credit is refused for this answer. */
export function isRefusal({ result, reason }: Pick<AccountAnswer, "result" | "reason">): boolean {
  return result === "invalid" || (result === "warning" && reason === "direction");
}
