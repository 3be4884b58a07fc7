// One question about one account, whatever the rule. The answer names the rule, the version of its data and a reason code, so that
// it can be computed again.

import { judgeIban } from "./iban.ts";
import type { Judgement, ReasonCode, Result } from "./judgement.ts";
import { versionNamed, versionOn } from "./rule-book.ts";
import type { RuleBook, RuleName, RuleVersion } from "./rule-book.ts";
import type { Note, Step } from "./steps.ts";
import { judgeByUkModulus } from "./uk-modulus.ts";
import { judgeByCdv } from "./za-cdv.ts";

export interface AccountQuestion {
  readonly rule: RuleName;
  /** Branch or sort code as given; null: none. */
  readonly branch: string | null;
  /** Account number, or the IBAN. */
  readonly account: string;
  /** Code of the account's type (CACC, SVGS, TRAN, LOAN); null or another: unknown. */
  readonly accountTypeCode: string | null;
  readonly direction: "debit" | "credit";
  /** From which confidence on a failing row refuses. Imported data is of high confidence. */
  readonly refuseOn: "high" | "medium";
  /** YYYY-MM-DD: data in force on this date is asked. */
  readonly onDate: string;
}

/** A question asked anew, as it was asked then. */
export interface ExactQuestion extends AccountQuestion {
  /** Of the rule's data; null: what is in force on the date. */
  readonly version: string | null;
  /** 1 current, 2 savings, 3 transmission, 4 bond, 6 subscription share; null: what the code says. */
  readonly accountType: number | null;
}

export interface AccountAnswer {
  readonly result: Result;
  readonly rule: string;
  /** `none` where the book has no data for the date, or none of the version asked for. */
  readonly version: string;
  readonly reason: ReasonCode | null;
}

const accountTypes: ReadonlyMap<string, number> = new Map([
  ["CACC", 1],
  ["SVGS", 2],
  ["TRAN", 3],
  ["LOAN", 4],
]);

export function checkAccount(question: AccountQuestion, book: RuleBook): AccountAnswer {
  return answer({ ...question, version: null, accountType: null }, book, null);
}

export interface Explanation {
  readonly answer: AccountAnswer;
  /** How the answer was come to, computed now by the same code. */
  readonly steps: readonly Step[];
}

/** An answer with its steps: of now, or computed again for the date or version of an old decision. */
export function explainAccount(question: ExactQuestion, book: RuleBook): Explanation {
  const steps: Step[] = [];
  return { answer: answer(question, book, (step) => steps.push(step)), steps };
}

function answer(question: ExactQuestion, book: RuleBook, note: Note): AccountAnswer {
  const { rule, accountTypeCode } = question;
  if (rule === "iban") return byVersion(question, book.iban, () => judgeIban(question.account, note));
  if (rule === "uk-modulus") return byVersion(question, book["uk-modulus"], (data) => judgeByUkModulus(question, data, note));
  const accountType = question.accountType ?? accountTypes.get(accountTypeCode ?? "") ?? null;
  return byVersion(question, book["za-cdv"], (data) => judgeByCdv({ ...question, accountType }, data, note));
}

function byVersion<Data>(
  { rule, version, onDate }: ExactQuestion,
  versions: readonly RuleVersion<Data>[],
  judge: (data: Data) => Judgement,
): AccountAnswer {
  const chosen = version === null ? versionOn(versions, onDate) : versionNamed(versions, version);
  if (chosen === null) return { result: "not-verifiable", rule, version: "none", reason: "no-rule" };
  const { result, reason } = judge(chosen.data);
  return { result, rule, version: chosen.version, reason };
}

/** True where a debit or credit is refused for this answer. */
export function isRefusal({ result, reason }: Pick<AccountAnswer, "result" | "reason">): boolean {
  return result === "invalid" || (result === "warning" && reason === "direction");
}
