// One question about one account, whatever the rule. The answer names the rule, the version of its data and a reason code, so that
// it can be computed again.

import { judgeIban } from "./iban.ts";
import type { Judgement, ReasonCode, Result } from "./judgement.ts";
import { versionNamed, versionOn } from "./rule-book.ts";
import type { RuleBook, RuleName } from "./rule-book.ts";
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
  return answer({ ...question, version: null, accountType: null }, book);
}

function answer(question: ExactQuestion, book: RuleBook): AccountAnswer {
  const { rule } = question;
  if (rule === "iban") return found(question, book.iban, () => judgeIban(question.account));
  if (rule === "uk-modulus") return found(question, book["uk-modulus"], () => ({ result: "not-verifiable", reason: "no-rule" }));
  const accountType = question.accountType ?? accountTypes.get(question.accountTypeCode ?? "") ?? null;
  return found(question, book["za-cdv"], (data) => judgeByCdv({ ...question, accountType }, data));
}

function found<Data>(
  { rule, version, onDate }: ExactQuestion,
  versions: Parameters<typeof versionOn<Data>>[0],
  judge: (data: Data) => Judgement,
): AccountAnswer {
  const chosen = version === null ? versionOn(versions, onDate) : versionNamed(versions, version);
  if (chosen === null) return { rule, version: "none", result: "not-verifiable", reason: "no-rule" };
  return { rule, version: chosen.version, ...judge(chosen.data) };
}

/** True where a debit or credit is refused for this answer. */
export function isRefusal({ result, reason }: Pick<AccountAnswer, "result" | "reason">): boolean {
  return result === "invalid" || (result === "warning" && reason === "direction");
}
