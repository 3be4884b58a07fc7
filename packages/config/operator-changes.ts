// What changed in the operators of a configuration, so that a new one leaves a trace. A token is named by its
// id, never by itself.

import type { ConfiguredOperator } from "./configuration.ts";
import { isSameContent } from "./live-configuration.ts";
import { listTokenChanges, listTokenIds } from "./token-changes.ts";

export const operatorChangeKinds = [
  "added",
  "removed",
  "roles",
  "person",
  "bank",
  "schemes",
  "token-added",
  "token-removed",
  "token-end",
  "certificates",
  "subject",
] as const;

export interface OperatorChange {
  readonly change: (typeof operatorChangeKinds)[number];
  readonly operator: string;
  /** The operator's roles after the change. */
  readonly roles: readonly string[];
  readonly person: string;
  /** The bank that is all that the operator sees, after the change; null: it sees all. */
  readonly bank: string | null;
  /** The schemes that are all that the operator has to do with, after the change; null: every scheme. */
  readonly schemes: readonly string[] | null;
  /** Ids of the tokens that came or went, or have another end. */
  readonly tokens: readonly string[];
}

export function listOperatorChanges(
  before: readonly ConfiguredOperator[],
  after: readonly ConfiguredOperator[],
): readonly OperatorChange[] {
  const gone = before.filter(({ id }) => !after.some((operator) => operator.id === id));
  return [
    ...gone.map((operator) => buildChange("removed", { ...operator, roles: [] }, listTokenIds(operator.tokens))),
    ...after.flatMap((operator) => {
      const known = before.find(({ id }) => id === operator.id);
      return known === undefined ? [buildChange("added", operator, listTokenIds(operator.tokens))] : compare(known, operator);
    }),
  ];
}

function compare(before: ConfiguredOperator, after: ConfiguredOperator): readonly OperatorChange[] {
  const { came, went, moved } = listTokenChanges(before.tokens, after.tokens);
  return [
    ...(hasSame(before.roles, after.roles) ? [] : [buildChange("roles", after, [])]),
    ...(before.person === after.person ? [] : [buildChange("person", after, [])]),
    ...(before.bank === after.bank ? [] : [buildChange("bank", after, [])]),
    ...(hasSame(before.schemes ?? [], after.schemes ?? []) ? [] : [buildChange("schemes", after, [])]),
    ...(came.length === 0 ? [] : [buildChange("token-added", after, came)]),
    ...(went.length === 0 ? [] : [buildChange("token-removed", after, went)]),
    ...(moved.length === 0 ? [] : [buildChange("token-end", after, moved)]),
    ...(isSameContent(before.certificates, after.certificates) ? [] : [buildChange("certificates", after, [])]),
    ...(before.subject === after.subject ? [] : [buildChange("subject", after, [])]),
  ];
}

function buildChange(
  change: OperatorChange["change"],
  { id, roles, person, bank, schemes }: ConfiguredOperator,
  tokens: readonly string[],
): OperatorChange {
  return { change, operator: id, roles, person, bank, schemes, tokens };
}

function hasSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((one) => after.includes(one));
}
