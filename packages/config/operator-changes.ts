// What changed in the operators of a configuration, so that a new one leaves a trace. A token is named by the first
// characters of its hash, never by itself.

import { tokenId } from "@sluice/kernel";
import type { ConfiguredOperator } from "./configuration.ts";

export const operatorChangeKinds = ["added", "removed", "roles", "person", "token-added", "token-removed"] as const;

export interface OperatorChange {
  readonly change: (typeof operatorChangeKinds)[number];
  readonly operator: string;
  /** The operator's roles after the change. */
  readonly roles: readonly string[];
  readonly person: string;
  /** Ids of the tokens that came or went. */
  readonly tokens: readonly string[];
}

export function listOperatorChanges(
  before: readonly ConfiguredOperator[],
  after: readonly ConfiguredOperator[],
): readonly OperatorChange[] {
  const gone = before.filter(({ id }) => !after.some((operator) => operator.id === id));
  return [
    ...gone.map((operator) => buildChange("removed", { ...operator, roles: [] }, operator.tokenSha256)),
    ...after.flatMap((operator) => {
      const known = before.find(({ id }) => id === operator.id);
      return known === undefined ? [buildChange("added", operator, operator.tokenSha256)] : compare(known, operator);
    }),
  ];
}

function compare(before: ConfiguredOperator, after: ConfiguredOperator): readonly OperatorChange[] {
  const came = after.tokenSha256.filter((hash) => !before.tokenSha256.includes(hash));
  const went = before.tokenSha256.filter((hash) => !after.tokenSha256.includes(hash));
  const areRolesSame = before.roles.length === after.roles.length && before.roles.every((role) => after.roles.includes(role));
  return [
    ...(areRolesSame ? [] : [buildChange("roles", after, [])]),
    ...(before.person === after.person ? [] : [buildChange("person", after, [])]),
    ...(came.length === 0 ? [] : [buildChange("token-added", after, came)]),
    ...(went.length === 0 ? [] : [buildChange("token-removed", after, went)]),
  ];
}

function buildChange(
  change: OperatorChange["change"],
  { id, roles, person }: ConfiguredOperator,
  hashes: readonly string[],
): OperatorChange {
  return { change, operator: id, roles, person, tokens: hashes.map(tokenId) };
}
