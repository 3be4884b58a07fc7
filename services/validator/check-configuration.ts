// Checks a payment against the configuration: blocked banks and accounts, and the currencies and sums of a scheme and a
// bank. Each reason names the configuration's version.
//
// #1 Of two limits the smaller counts, the bank's if both are equal; sums are compared as whole numbers.
// #2 A blocked account matches its number with or without leading zeros and blanks. An account blocked in one branch is
//    refused also if the message names no branch.

import type { Bank, BlockedAccount, Configuration, ItemLimit } from "@sluice/config";
import type { Reason } from "@sluice/contracts";
import type { AccountSide, Payment } from "./payment.ts";

/** A bank that left the configuration after its payment was accepted counts as blocked. */
export function checkBlocked({ bank, sides }: Payment, { version }: Configuration): readonly Reason[] {
  const blocked = (what: string): Reason => ({ code: "AG01", text: `configuration/${version} ${what}` });
  return [
    ...(bank === null ? [blocked("unknown-bank")] : []),
    ...(bank?.isBlocked === true ? [blocked("bank-blocked")] : []),
    ...sides.filter(isBlocked).map(({ account }) => blocked(`${account}-account-blocked`)),
  ];
}

export function checkAmount(payment: Payment, { version }: Configuration): readonly Reason[] {
  const { amount, scheme } = payment;
  const ofScheme = `scheme/${version}`;
  return [
    ...(amount.value === 0n ? [{ code: "AM01", text: `${ofScheme} zero-amount` }] : []),
    ...(scheme.currencies.includes(amount.currency) ? [] : [{ code: "AM03", text: `${ofScheme} currency` }]),
    ...checkLimits(payment, version),
  ];
}

/** #1 */
function checkLimits({ amount, scheme, bank }: Payment, version: string): readonly Reason[] {
  const limits = [
    ...(bank?.itemLimits ?? []).filter(isAbout).map((limit) => ({ ...limit, rule: "bank" })),
    ...scheme.itemLimits.filter(isAbout).map((limit) => ({ ...limit, rule: "scheme" })),
  ];
  const smallest = limits.toSorted(bySum)[0];
  if (smallest === undefined || amount.value <= smallest.amountTenThousandths) return [];
  return [{ code: "AM14", text: `${smallest.rule}/${version} item-limit` }];

  function isAbout(limit: ItemLimit): boolean {
    return limit.scheme === scheme.id && limit.currency === amount.currency;
  }
}

function bySum(a: ItemLimit, b: ItemLimit): number {
  if (a.amountTenThousandths === b.amountTenThousandths) return 0;
  return a.amountTenThousandths < b.amountTenThousandths ? -1 : 1;
}

/** #2 */
function isBlocked({ given, agent, owner }: AccountSide): boolean {
  const number = given.identification?.value;
  if (number === undefined || owner === null) return false;
  const branch = agent.branch?.identification ?? null;
  const inBranches = blockedBranches(owner).get(bare(number)) ?? [];
  return inBranches.some((blocked) => blocked === null || branch === null || blocked === branch);
}

const branchesByBank = new WeakMap<Bank, ReadonlyMap<string, readonly BlockedAccount["branch"][]>>();

/** Blocked branches by bare number, built once for each configured bank because a list can be long. */
function blockedBranches(bank: Bank): ReadonlyMap<string, readonly BlockedAccount["branch"][]> {
  const known = branchesByBank.get(bank);
  if (known !== undefined) return known;
  const made = new Map<string, BlockedAccount["branch"][]>();
  for (const { branch, account } of bank.blockedAccounts) made.set(bare(account), [...(made.get(bare(account)) ?? []), branch]);
  branchesByBank.set(bank, made);
  return made;
}

function bare(account: string): string {
  return account.replaceAll(" ", "").toUpperCase().replace(/^0+/, "");
}
