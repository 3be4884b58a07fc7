// What a person may do who signed in at the provider: what the configuration gives the operator, narrowed by claims of
// the ID token. Pure.
//
// #1 A claim never gives what the configuration does not give: who can change a claim must not become more than the
//    configuration says.
// #2 Where the configuration names a claim of roles, a token without it gives no role.
// #3 A bank of a claim narrows an operator of all banks to that one, who then only reads, as every bank's own person
//    does. An operator of one bank stays that, and is refused with a claim of another bank.
// #4 Schemes of a claim narrow the operator's schemes. Where the configuration names that claim, a token without it
//    leaves no scheme, and so nothing. A bank's own person sees the bank in every scheme, and the claim says nothing to
//    it. So nothing is left of an operator of some schemes whom a claim narrows to a bank.

import type { SignInProvider } from "@sluice/kernel";

/** What claims leave of an operator's rights. */
export interface Narrowing {
  /** Null: all roles of the operator. */
  readonly roles: readonly string[] | null;
  /** Null: what the operator sees. */
  readonly bank: string | null;
  /** Null: the schemes of the operator. */
  readonly schemes: readonly string[] | null;
}

interface Rights<Role extends string> {
  readonly roles: readonly Role[];
  readonly bank: string | null;
  readonly schemes: readonly string[] | null;
}

const listedMax = 100;

/** Null: the claims cannot be read, or name several banks, which no operator has. */
export function readNarrowing(
  { rolesClaim, bankClaim, schemesClaim }: Pick<SignInProvider, "rolesClaim" | "bankClaim" | "schemesClaim">,
  claims: Readonly<Record<string, unknown>>,
): Narrowing | null {
  const roles = rolesClaim === null ? null : readTexts(claims[rolesClaim]);
  const banks = bankClaim === null || claims[bankClaim] === undefined ? null : readTexts(claims[bankClaim]);
  const schemes = schemesClaim === null ? null : readTexts(claims[schemesClaim]);
  if (schemes === undefined) return null;
  if (roles === undefined || banks === undefined || (banks !== null && banks.length !== 1)) return null;
  return { roles, bank: banks?.[0] ?? null, schemes };
}

/** Null: nothing is left. */
export function narrowRights<Role extends string, Holder extends Rights<Role>>(holder: Holder, narrowing: Narrowing): Holder | null {
  // #3
  if (narrowing.bank !== null && holder.bank !== null && narrowing.bank !== holder.bank) return null;
  const bank = holder.bank ?? narrowing.bank;
  const isNarrowedToBank = bank !== holder.bank;
  // #1
  const claimed = holder.roles.filter((role) => narrowing.roles?.includes(role) ?? true);
  const roles = isNarrowedToBank ? claimed.filter((role) => role === "read") : claimed;
  // #4
  const schemes = holder.bank === null ? narrowSchemes(holder.schemes, narrowing.schemes) : null;
  if (bank !== null && schemes !== null) return null;
  return roles.length === 0 || schemes?.length === 0 ? null : { ...holder, roles, bank, schemes };
}

function narrowSchemes(own: readonly string[] | null, claimed: readonly string[] | null): readonly string[] | null {
  return own === null || claimed === null ? (own ?? claimed) : own.filter((scheme) => claimed.includes(scheme));
}

/** A text alone is a list of one; undefined: neither. */
function readTexts(claim: unknown): readonly string[] | undefined {
  if (claim === undefined) return [];
  const listed: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const texts = listed.filter((one) => typeof one === "string");
  return texts.length === listed.length && listed.length <= listedMax ? texts : undefined;
}
