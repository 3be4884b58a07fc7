// What a new configuration changes, for the audit: ids, roles, ids of tokens and names of members. A value is never
// named, because it may be an address, an account number or a secret.

import type { Configuration, ConfiguredParty } from "./configuration.ts";
import { isSameContent } from "./live-configuration.ts";
import { listOperatorChanges, type OperatorChange } from "./operator-changes.ts";
import { listTokenChanges, listTokenIds } from "./token-changes.ts";

/** One short text for each change; none where nothing that runs is changed. */
export function listConfigurationChanges(before: Configuration, after: Configuration): readonly string[] {
  const operators = listOperatorChanges(before.operators, after.operators).map(describeOperatorChange);
  const parts = (["resolutionNeedsSecondPerson", "secondPerson", "operatorSignatures", "cdv", "tokenIssuers", "operatorSignIn"] as const)
    .filter((part) => !isSameContent(before[part], after[part]))
    .map((part) => `${part}: changed`);
  return [
    ...operators,
    ...listPartyChanges("bank", before.banks, after.banks),
    ...listPartyChanges("connector", before.connectors, after.connectors),
    ...parts,
  ];
}

function describeOperatorChange({ change, operator, person, roles, bank, schemes, tokens }: OperatorChange): string {
  const ofTokens = tokens.length === 0 ? [] : [`tokens ${tokens.join(" ")}`];
  const ofSchemes = schemes === null ? [] : [`schemes ${schemes.join(" ")}`];
  const details = [`person ${person}`, `roles ${roles.join(" ")}`, `bank ${bank ?? "all"}`, ...ofSchemes, ...ofTokens];
  return `operator ${operator}: ${change}: ${details.join(", ")}`;
}

function listPartyChanges(kind: string, before: readonly ConfiguredParty[], after: readonly ConfiguredParty[]): readonly string[] {
  const known = new Map(before.map((party) => [party.id, party]));
  const ids = new Set(after.map(({ id }) => id));
  return [
    ...before.filter(({ id }) => !ids.has(id)).map(({ id }) => `${kind} ${id}: removed`),
    ...after.flatMap((party) => {
      const former = known.get(party.id);
      if (former === undefined) return [`${kind} ${party.id}: added: tokens ${listTokenIds(party.tokens).join(" ")}`];
      return former === party ? [] : compareParties(`${kind} ${party.id}`, former, party);
    }),
  ];
}

function compareParties(name: string, before: ConfiguredParty, after: ConfiguredParty): readonly string[] {
  const { came, went, moved } = listTokenChanges(before.tokens, after.tokens);
  const [former, next] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))];
  const members = [...next.keys()].filter((member) => member !== "tokens" && !isSameContent(former.get(member), next.get(member)));
  return [
    ...(came.length === 0 ? [] : [`${name}: token-added: ${came.join(" ")}`]),
    ...(went.length === 0 ? [] : [`${name}: token-removed: ${went.join(" ")}`]),
    ...(moved.length === 0 ? [] : [`${name}: token-end: ${moved.join(" ")}`]),
    ...(members.length === 0 ? [] : [`${name}: members: ${members.join(" ")}`]),
  ];
}
