// Rule za-cdv: does this account number fit this branch and account type?
//
// #1 `invalid` needs a sure reason: a text that is no number, or every test of a rule of high confidence failing (of
//    medium confidence, if the operator asks for it). Everything that is not known is `not-verifiable`: a false refusal
//    stops a real payment.
// #2 The narrowest branch range wins; at equal ranges a row beats an entry that says "not verifiable". Rows of one
//    range and type are one rule, the first with its second tests: the number is valid if any passes, and the first
//    row's confidence counts.
// #3 Lengths and conditions of a row refuse nothing: if they are not met, the row does not apply to the number
//    (`no-rule`).
// #4 An unknown account type gets the best verdict over the types of the branch.

import { padAccount } from "../check-digits.ts";
import type { RuleVerdict, ReasonCode } from "../rule-verdict.ts";
import type { RangeMatch } from "../range-index.ts";
import type { StepListener } from "../check-steps.ts";
import { type CdvNumber, isDebitRefusedByV, type RowVerdict } from "./exceptions.ts";
import { type CdvData, type CdvEntry, type CdvRow, isBranch } from "./data.ts";
import { checkCdvRow } from "./row.ts";

export interface CdvQuestion {
  /** The branch code; null: not given. */
  readonly branch: string | null;
  readonly account: string;
  /** 1 current, 2 savings, 3 transmission, 4 bond, 6 subscription share; null: unknown. */
  readonly accountType: number | null;
  readonly direction: "debit" | "credit";
  readonly refuseOn: "high" | "medium";
  readonly onDate: string;
}

const digitsMax = 13;

export function checkZaCdv(question: CdvQuestion, data: CdvData, note: StepListener = null): RuleVerdict {
  const { branch, account } = question;
  if (!/^\d+$/.test(account)) return { result: "invalid", reason: "not-numeric" };
  if (account.length > digitsMax) return { result: "invalid", reason: "too-long" };
  note?.({ step: "number", given: account, digits: padAccount(account) });
  const placed = branch === null || !isBranch(branch) ? [] : data.at(branch);
  if (branch === null || placed.length === 0) return withoutRow(account, "unknown-branch");
  if (question.accountType !== null) return checkType(branch, question.accountType, question, placed, note);
  const verdicts = accountTypesAt(branch, data).map((type) => {
    const one = checkType(branch, type, question, placed, note);
    note?.({ step: "finding", text: `as type ${type}: ${one.result}${one.reason === null ? "" : ` (${one.reason})`}` });
    return one;
  });
  return verdicts.reduce((best, next) => (rank(next) > rank(best) ? next : best));
}

/** The account types for which a branch has entries. */
export function accountTypesAt(branch: string, data: CdvData): readonly number[] {
  const types = data.at(branch).flatMap(({ value }) => value.accountTypes);
  return [...new Set(types)].sort((a, b) => a - b);
}

/** Orders verdicts from worst to best. A warning refuses a debit, so `not-verifiable` is better. */
function rank({ result }: RuleVerdict): number {
  return ["invalid", "warning", "not-verifiable", "valid"].indexOf(result);
}

function checkType(
  branch: string,
  accountType: number,
  question: CdvQuestion,
  placed: readonly RangeMatch<CdvEntry>[],
  note: StepListener,
): RuleVerdict {
  note?.({ step: "type", accountType });
  const { account } = question;
  const number = { branch, accountType, given: account, digits: padAccount(account) };
  const rule = ruleFor(number, placed);
  if (rule === "none") return withoutRow(account, "account-type");
  if (rule === "not-verifiable") return withoutRow(account, "no-rule");
  const { accountIndicator } = rule[0];
  if (accountIndicator === 0) return { result: "not-verifiable", reason: "no-rule" };
  if (isZero(account)) return accountIndicator === 1 ? { result: "valid", reason: null } : { result: "invalid", reason: "zero" };
  return checkRows(rule, number, question, note);
}

function withoutRow(account: string, reason: ReasonCode): RuleVerdict {
  return isZero(account) ? { result: "invalid", reason: "zero" } : { result: "not-verifiable", reason };
}

function isZero(account: string): boolean {
  return /^0+$/.test(account);
}

type Rule = readonly [CdvRow, ...CdvRow[]];

function ruleFor(number: CdvNumber, placed: readonly RangeMatch<CdvEntry>[]): Rule | "not-verifiable" | "none" {
  const ofType = placed.filter(({ value }) => value.accountTypes.includes(number.accountType));
  const width = Math.min(...ofType.map((entry) => entry.width));
  const rows = ofType.flatMap((entry) => (entry.value.kind === "row" && entry.width === width ? [entry.value.row] : []));
  const [first, ...others] = rows;
  if (first === undefined) return ofType.length === 0 ? "none" : "not-verifiable";
  // The row's notes refer numbers of 13 digits to exception h, a row of the same bank with a wider range.
  const isSentOn = first.condition === "nedbank-current" && number.given.length === 13;
  const sentTo = isSentOn ? ofType.find(({ value }) => value.kind === "row" && value.row.exception === "h") : undefined;
  return sentTo?.value.kind === "row" ? [sentTo.value.row] : [first, ...others];
}

function checkRows(rows: Rule, number: CdvNumber, question: CdvQuestion, note: StepListener): RuleVerdict {
  const verdicts: RowVerdict[] = [];
  for (const row of rows) {
    const verdict = checkCdvRow(row, number, note);
    if (verdict === "passes")
      return isRefusedDebit(rows, number, question) ? { result: "warning", reason: "direction" } : { result: "valid", reason: null };
    verdicts.push(verdict);
  }
  if (verdicts[0] === "not-about") return { result: "not-verifiable", reason: "no-rule" };
  if (verdicts.includes("unsure")) return { result: "not-verifiable", reason: rows[0].exception === "p" ? "check-digit" : "no-rule" };
  return { result: refuses(rows[0], question.refuseOn) ? "invalid" : "not-verifiable", reason: "check-digit" };
}

function isRefusedDebit(rows: Rule, { digits }: CdvNumber, { direction, onDate }: CdvQuestion): boolean {
  return direction === "debit" && rows.some(({ exception }) => exception === "v" && isDebitRefusedByV(digits ?? "", onDate));
}

function refuses(row: CdvRow, refuseOn: "high" | "medium"): boolean {
  return row.confidence === "high" || (row.confidence === "medium" && refuseOn === "medium");
}
