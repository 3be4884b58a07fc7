// Rule za-cdv: does this account number fit this branch and account type?
//
// #1 `invalid` needs a reason to be sure: a number that is none, or every test of a rule of high confidence failing (medium,
//    where the operator asks for it). Whatever is not known answers `not-verifiable`: a false refusal stops a real payment.
// #2 The narrowest branch range wins; at equal ranges a row beats an entry that says "not verifiable". Rows of one range and
//    type are one rule, the first with its second tests: valid if any passes, and the first one's confidence counts.
// #3 Lengths and conditions of a row refuse nothing: unmet, the row is not about this number (`no-rule`).
// #4 An unknown account type is judged as the best over the types that the branch has.

import { padded, remainder } from "./check-digits.ts";
import type { Judgement, ReasonCode } from "./judgement.ts";
import { acceptsByException, isAllowedDirection, isAbout, knownExceptions } from "./za-cdv-exceptions.ts";
import type { Number11 } from "./za-cdv-exceptions.ts";
import { isBranch } from "./za-cdv-data.ts";
import type { CdvData, CdvRange, CdvRow } from "./za-cdv-data.ts";

export interface CdvQuestion {
  /** Null: not given. */
  readonly branch: string | null;
  readonly account: string;
  /** 1 current, 2 savings, 3 transmission, 4 bond, 6 subscription share; null: unknown. */
  readonly accountType: number | null;
  readonly direction: "debit" | "credit";
  readonly refuseOn: "high" | "medium";
}

const digitsMax = 13;

export function judgeByCdv(question: CdvQuestion, data: CdvData): Judgement {
  const { branch, account } = question;
  if (!/^\d+$/.test(account)) return { result: "invalid", reason: "not-numeric" };
  if (account.length > digitsMax) return { result: "invalid", reason: "too-long" };
  const types = branch === null || !isBranch(branch) ? [] : typesOf(branch, data);
  if (branch === null || types.length === 0) return withoutRow(account, "unknown-branch");
  if (question.accountType !== null) return judgeType(branch, question.accountType, question, data);
  return types.map((type) => judgeType(branch, type, question, data)).reduce((best, next) => (rank(next) > rank(best) ? next : best));
}

/** Account types that anything is known of at a branch. */
export function typesOf(branch: string, data: CdvData): readonly number[] {
  const types = [...data.rows, ...data.notVerifiable]
    .filter((entry) => widthAt(entry, branch) !== null)
    .flatMap((entry) => entry.accountTypes);
  return [...new Set(types)].sort((a, b) => a - b);
}

/** A warning refuses a debit, so what merely is not known comes before it. */
function rank({ result }: Judgement): number {
  return ["invalid", "warning", "not-verifiable", "valid"].indexOf(result);
}

function judgeType(branch: string, type: number, question: CdvQuestion, data: CdvData): Judgement {
  const found = ruleFor(branch, type, data);
  if (found === "none") return withoutRow(question.account, "account-type");
  if (found === "not-verifiable") return withoutRow(question.account, "no-rule");
  const [first] = found;
  if (first.accountIndicator === 0) return { result: "not-verifiable", reason: "no-rule" };
  if (isZero(question.account))
    return first.accountIndicator === 1 ? { result: "valid", reason: null } : { result: "invalid", reason: "zero" };
  return judgeByRows(found, branch, question);
}

function withoutRow(account: string, reason: ReasonCode): Judgement {
  return isZero(account) ? { result: "invalid", reason: "zero" } : { result: "not-verifiable", reason };
}

function isZero(account: string): boolean {
  return /^0+$/.test(account);
}

type Rule = readonly [CdvRow, ...CdvRow[]];

function ruleFor(branch: string, type: number, data: CdvData): Rule | "not-verifiable" | "none" {
  const rows = narrowest(data.rows, branch, type);
  const unverifiable = narrowest(data.notVerifiable, branch, type);
  const [first, ...others] = rows.entries;
  if (first === undefined) return unverifiable.entries.length === 0 ? "none" : "not-verifiable";
  return unverifiable.width < rows.width ? "not-verifiable" : [first, ...others];
}

function narrowest<E extends CdvRange>(
  entries: readonly E[],
  branch: string,
  type: number,
): { readonly width: number; readonly entries: readonly E[] } {
  const widths = entries.map((entry) => (entry.accountTypes.includes(type) ? (widthAt(entry, branch) ?? Infinity) : Infinity));
  const width = Math.min(Infinity, ...widths);
  return { width, entries: width === Infinity ? [] : entries.filter((_, index) => widths[index] === width) };
}

/** Branches in the narrowest range of an entry that holds this one; null: none does. */
function widthAt(entry: CdvRange, branch: string): number | null {
  const widths = entry.branchRanges
    .filter(([from, to]) => from <= branch && branch <= to)
    .map(([from, to]) => Number(to) - Number(from) + 1);
  return widths.length === 0 ? null : Math.min(...widths);
}

function judgeByRows(rows: Rule, branch: string, question: CdvQuestion): Judgement {
  const { account, direction } = question;
  const digits = padded(account);
  if (digits === null) return { result: "not-verifiable", reason: "no-rule" };
  const number = { branch, digits, length: account.length };
  const about = rows.filter((row) => isAbout(row, number));
  if (!about.includes(rows[0])) return { result: "not-verifiable", reason: "no-rule" };
  if (about.some((row) => passes(row, number))) {
    const isAllowed = about.every((row) => isAllowedDirection(row, digits, direction));
    return isAllowed ? { result: "valid", reason: null } : { result: "warning", reason: "direction" };
  }
  // What an exception would say that is not built, nobody can say.
  if (!about.every(isTestable)) return { result: "not-verifiable", reason: "no-rule" };
  return { result: refuses(rows[0], question.refuseOn) ? "invalid" : "not-verifiable", reason: "check-digit" };
}

function passes(row: CdvRow, number: Number11): boolean {
  if (row.weights === null || row.modulus === 0 || row.confidence === "low" || row.confidence === "conflict") return false;
  const isBasePassed = remainder(number.digits, row.weights, row.modulus, row.fudge) === 0;
  // Exception e, not built, restricts numbers that pass: without it a pass proves nothing.
  return isBasePassed ? row.exception !== "e" : acceptsByException(row, number);
}

function isTestable(row: CdvRow): boolean {
  return row.weights !== null && row.modulus !== 0 && (row.exception === null || knownExceptions.has(row.exception));
}

function refuses(row: CdvRow, refuseOn: "high" | "medium"): boolean {
  return row.confidence === "high" || (row.confidence === "medium" && refuseOn === "medium");
}
