// The callers of a configuration, and the part of a changed file that a running service takes over.
//
// #1 Only the credentials and limits of callers known at the start change. Every other change waits for a restart and
//    is reported. Operators are taken over completely, including new ones and their roles, because nothing else depends
//    on them.
// #2 A caller that is no longer in the file, or has become another kind, can no longer call.

import type { Bank, Configuration, Connector, ConfiguredParty } from "./configuration.ts";

export interface CallerSettings extends Pick<ConfiguredParty, "id" | "tokenSha256" | "requestsPerSecond" | "inboundConnections"> {
  readonly kind: "bank" | "connector";
}

export function listCallers({ banks, connectors }: Configuration): readonly CallerSettings[] {
  return [
    ...banks.map((bank) => toCallerSettings("bank", bank)),
    ...connectors.map((connector) => toCallerSettings("connector", connector)),
  ];
}

/** #1, #2: returns the callers of `running` with the credentials and limits of `next`. */
export function updateCallers(running: Configuration, next: Configuration): readonly CallerSettings[] {
  const named = listCallers(next);
  return listCallers(running).map(
    (known) => named.find(({ id, kind }) => id === known.id && kind === known.kind) ?? { ...known, tokenSha256: [] },
  );
}

/** #1: returns the paths of all other differences, such as `/banks/first` and `/schemes`. */
export function listRestartChanges(running: Configuration, next: Configuration): readonly string[] {
  return [
    ...listChangedParties("banks", running.banks, next.banks),
    ...listChangedParties("connectors", running.connectors, next.connectors),
    ...(["schemes", "cdv", "rulesFolder", "resolutionNeedsSecondPerson", "partitionCount"] as const).flatMap((part) =>
      isSame(running[part], next[part]) ? [] : [`/${part}`],
    ),
  ];
}

function toCallerSettings(kind: CallerSettings["kind"], party: ConfiguredParty): CallerSettings {
  const { id, tokenSha256, requestsPerSecond, inboundConnections } = party;
  return { id, kind, tokenSha256, requestsPerSecond, inboundConnections };
}

function listChangedParties(part: string, running: readonly (Bank | Connector)[], next: readonly (Bank | Connector)[]): readonly string[] {
  const ids = new Set([...running, ...next].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [before, after] = [running, next].map((parties) => parties.filter((party) => party.id === id).map(withoutCallerSettings));
    return isSame(before, after) ? [] : [`/${part}/${id}`];
  });
}

function withoutCallerSettings(party: Bank | Connector): object {
  const { tokenSha256: _tokens, requestsPerSecond: _rate, inboundConnections: _connections, ...rest } = party;
  return rest;
}

/** Compares as text: both values come from the same reader, which sets members in one order. */
function isSame(one: unknown, other: unknown): boolean {
  return toComparableText(one) === toComparableText(other);
}

function toComparableText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member)) ?? "";
}
