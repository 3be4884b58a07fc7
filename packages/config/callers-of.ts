// Callers as the configuration names them, and what of a changed file can be taken while a service runs.
//
// #1 Only credentials and limits of callers that were known at the start change. Everything else waits for a restart, and is named.
//    Operators are taken as the file has them, new ones and their roles too: nothing else hangs on them.
// #2 A caller that is no longer in the file, or no longer what it was, can call no more.

import type { Bank, Configuration, Connector, Party } from "./configuration.ts";

export interface CallerSettings extends Pick<Party, "id" | "tokenSha256" | "requestsPerSecond" | "inboundConnections"> {
  readonly kind: "bank" | "connector";
}

export function callersOf({ banks, connectors }: Configuration): readonly CallerSettings[] {
  return [...banks.map((bank) => settingsOf("bank", bank)), ...connectors.map((connector) => settingsOf("connector", connector))];
}

/** #1 #2 The callers of `running` with what `next` says of them. */
export function callersAfter(running: Configuration, next: Configuration): readonly CallerSettings[] {
  const named = callersOf(next);
  return callersOf(running).map(
    (known) => named.find(({ id, kind }) => id === known.id && kind === known.kind) ?? { ...known, tokenSha256: [] },
  );
}

/** #1 Paths of what differs otherwise, such as `/banks/first` and `/schemes`. */
export function waitingForRestart(running: Configuration, next: Configuration): readonly string[] {
  return [
    ...partiesThatDiffer("banks", running.banks, next.banks),
    ...partiesThatDiffer("connectors", running.connectors, next.connectors),
    ...(["schemes", "cdv", "rulesFolder", "resolutionNeedsSecondPerson"] as const).flatMap((part) =>
      isSame(running[part], next[part]) ? [] : [`/${part}`],
    ),
  ];
}

function settingsOf(kind: CallerSettings["kind"], party: Party): CallerSettings {
  const { id, tokenSha256, requestsPerSecond, inboundConnections } = party;
  return { id, kind, tokenSha256, requestsPerSecond, inboundConnections };
}

function partiesThatDiffer(part: string, running: readonly (Bank | Connector)[], next: readonly (Bank | Connector)[]): readonly string[] {
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

/** Both come from the same reader, which sets members in one order. */
function isSame(one: unknown, other: unknown): boolean {
  return text(one) === text(other);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member)) ?? "";
}
