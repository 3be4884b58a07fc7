// The accounts of a debit: the debtor's always, the creditor's where it is given. Every question asked is kept with its
// answer and the version of the data, whether it refuses or not.
//
// Asked is za-cdv, of numbers of the schema GENERIC. An IBAN or a proxy alone is not verifiable yet: no rule is built for them.

import { checkAccount, isRefusal } from "@sluice/account-validation";
import type { AccountAnswer, CdvData } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import type { DirectDebit, Institution, PaymentAccount, Reason, RuleDecision } from "@sluice/contracts";

export interface AccountChecks {
  readonly reasons: readonly Reason[];
  readonly decisions: readonly RuleDecision[];
}

interface Side {
  readonly account: "debtor" | "creditor";
  readonly given: PaymentAccount;
  readonly agent: Institution;
  readonly direction: "debit" | "credit";
  /** ISO 20022 reason of a wrong number on this side. */
  readonly code: "AC02" | "AC03";
}

export function checkAccounts(debit: DirectDebit, configuration: Configuration, data: CdvData): AccountChecks {
  const { debtorAccount, debtorAgent, creditorAccount, creditorAgent } = debit;
  const sides: Side[] = [{ account: "debtor", given: debtorAccount, agent: debtorAgent, direction: "debit", code: "AC02" }];
  if (creditorAccount !== null) {
    sides.push({ account: "creditor", given: creditorAccount, agent: creditorAgent, direction: "credit", code: "AC03" });
  }
  const checks = sides.map((side) => checkSide(side, configuration, data));
  return { reasons: checks.flatMap(({ reasons }) => reasons), decisions: checks.flatMap(({ decisions }) => decisions) };
}

function checkSide(side: Side, configuration: Configuration, data: CdvData): AccountChecks {
  const { account, given, agent, direction } = side;
  if (given.identification?.schema !== "GENERIC") return { reasons: [], decisions: [notAsked(side)] };
  const branch = agent.branch?.identification ?? null;
  const answer = checkAccount(
    {
      rule: "za-cdv",
      branch,
      account: given.identification.value,
      accountTypeCode: typeCodeOf(given),
      direction,
      refuseOn: configuration.cdv.refuseOn,
    },
    data,
  );
  return {
    reasons: [...checkBranch(branch, answer), ...refusalsOf(side, answer)],
    decisions: [{ account, ...answer }],
  };
}

function typeCodeOf({ type }: PaymentAccount): string | null {
  return type?.schema === "CODE" ? type.value : null;
}

function checkBranch(branch: string | null, { rule, version }: AccountAnswer): readonly Reason[] {
  return branch === null || /^\d{6}$/.test(branch) ? [] : [{ code: "AC08", text: `${rule}/${version} branch-form` }];
}

function refusalsOf({ code }: Side, answer: AccountAnswer): readonly Reason[] {
  if (!isRefusal(answer)) return [];
  const text = `${answer.rule}/${answer.version} ${answer.reason}`;
  return [{ code: answer.reason === "direction" ? "AC13" : code, text }];
}

function notAsked({ account, given }: Side): RuleDecision {
  const rule = given.identification === null ? "proxy" : given.identification.schema.toLowerCase();
  return { account, rule, version: "none", result: "not-verifiable", reason: "no-rule" };
}
