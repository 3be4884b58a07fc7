// One question about one account, whatever the rule. `spec` of the answer: valid, invalid, not-verifiable or warning, with
// the rule, the version of its data and a reason code, so that it can be computed again.

import { judgeByCdv } from "./za-cdv.ts";
import type { ReasonCode, Result } from "./za-cdv.ts";
import type { CdvData } from "./za-cdv-data.ts";

export interface AccountQuestion {
  readonly rule: "za-cdv";
  /** Branch code as given; null: none. */
  readonly branch: string | null;
  readonly account: string;
  /** Code of the account's type (CACC, SVGS, TRAN, LOAN); null or another: unknown. */
  readonly accountTypeCode: string | null;
  readonly direction: "debit" | "credit";
  /** From which confidence on a failing row refuses. */
  readonly refuseOn: "high" | "medium";
}

export interface AccountAnswer {
  readonly result: Result;
  readonly rule: string;
  readonly version: string;
  readonly reason: ReasonCode | null;
}

const accountTypes: ReadonlyMap<string, number> = new Map([
  ["CACC", 1],
  ["SVGS", 2],
  ["TRAN", 3],
  ["LOAN", 4],
]);

export function checkAccount({ rule, accountTypeCode, ...question }: AccountQuestion, data: CdvData): AccountAnswer {
  const accountType = accountTypes.get(accountTypeCode ?? "") ?? null;
  const { result, reason } = judgeByCdv({ ...question, accountType }, data);
  return { result, rule, version: data.version, reason };
}

/** True where a debit or credit is refused for this answer. */
export function isRefusal({ result, reason }: Pick<AccountAnswer, "result" | "reason">): boolean {
  return result === "invalid" || (result === "warning" && reason === "direction");
}
