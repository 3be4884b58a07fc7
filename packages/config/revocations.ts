// What a file that is refused still takes away: revoking a token must not depend on the rest of the file.
//
// #1 A refused file only takes away: tokens, clients and message keys that it no longer lists under their holder, the
//    time after an earlier end that it gives a token or a key, roles and schemes that an operator no longer has, the
//    subject by which it signs in, issuers of access tokens, the provider of sign-ins and values of `acr`, and the
//    tokens of a holder that it no longer lists. It adds and changes nothing. A holder that is bound to certificates,
//    or must sign its messages, keeps those that the file still lists. It is bound to none that counts if there are
//    none left.
// #2 It counts as far as it can be read. Text that is not YAML says nothing, nor does a list that is missing, empty, or
//    has a member without an id. A holder whose own tokens cannot be read keeps them.
// #3 A holder that loses nothing is the same object as before.

import type { HeldToken } from "@sluice/kernel";
import type { Configuration, ConfiguredOperator, ConfiguredParty } from "./configuration.ts";
import { formatBinding, readBinding } from "./file/certificate-bindings.ts";
import { readInstant } from "./file/held-tokens.ts";

type Holders = Pick<Configuration, "banks" | "connectors" | "operators" | "tokenIssuers" | "operatorSignIn">;

/** Returns what is left. `tree` is the refused file as read, its variables replaced; undefined: not YAML. */
export function takeAway(tree: unknown, { banks, connectors, operators, tokenIssuers, operatorSignIn }: Holders): Holders {
  const listed = {
    banks: readEntries(tree, "banks"),
    connectors: readEntries(tree, "connectors"),
    operators: readEntries(tree, "operators"),
  };
  return {
    banks: banks.map((bank) => withoutPartyMembers(bank, listed.banks)),
    connectors: connectors.map((connector) => withoutPartyMembers(connector, listed.connectors)),
    operators: operators.map((operator) =>
      [withoutRoles, withoutSchemes, withoutSubject].reduce(
        (left, takeFrom) => takeFrom(left, listed.operators),
        withoutCredentials(operator, listed.operators),
      ),
    ),
    tokenIssuers: remainingIssuers(tree, tokenIssuers),
    operatorSignIn: remainingSignIn(tree, operatorSignIn),
  };
}

type Entries = ReadonlyMap<string, unknown> | null;

type Holder = Pick<ConfiguredOperator, "id" | "tokens" | "certificates">;

function withoutCredentials<T extends Holder>(holder: T, entries: Entries): T {
  const tokens = remainingTokens(holder, entries);
  const certificates = remainingCertificates(holder, entries);
  const isSame = tokens.length === holder.tokens.length && tokens.every((token, index) => token === holder.tokens[index]);
  return isSame && certificates?.length === holder.certificates?.length ? holder : { ...holder, tokens, certificates };
}

function withoutPartyMembers<T extends ConfiguredParty>(party: T, entries: Entries): T {
  return withoutMessageKeys(withoutClients(withoutCredentials(party, entries), entries), entries);
}

/** A key is known by itself: another key under its name is another one. */
function withoutMessageKeys<T extends Pick<ConfiguredParty, "id" | "messageSignatures">>(party: T, entries: Entries): T {
  const { messageSignatures: signatures } = party;
  const given = memberOf(memberOf(entries?.get(party.id), "messageSignatures"), "keys");
  if (signatures === null || signatures.keys === null || !Array.isArray(given)) return party;
  const ends = new Map(given.map((one: unknown) => [memberOf(one, "publicKey"), readEnd(memberOf(one, "notAfter"))]));
  const keys = signatures.keys.flatMap((key) => endEarlier(key, ends.get(key.publicKey)));
  const isSame = keys.length === signatures.keys.length && keys.every((key, index) => key === signatures.keys?.[index]);
  return isSame ? party : { ...party, messageSignatures: { ...signatures, keys } };
}

/** #2: of a party that the file does not list, all. */
function withoutClients<T extends Pick<ConfiguredParty, "id" | "clients">>(party: T, entries: Entries): T {
  if (entries === null || party.clients.length === 0) return party;
  const given = entries.has(party.id) ? memberOf(entries.get(party.id), "clients") : [];
  if (given !== undefined && !Array.isArray(given)) return party;
  const listed = (given ?? []).map((one: unknown) => `${String(memberOf(one, "issuer"))} ${String(memberOf(one, "clientId"))}`);
  const left = party.clients.filter(({ issuer, clientId }) => listed.includes(`${issuer} ${clientId}`));
  return left.length === party.clients.length ? party : { ...party, clients: left };
}

function remainingIssuers(tree: unknown, issuers: Holders["tokenIssuers"]): Holders["tokenIssuers"] {
  const given = typeof tree === "object" && tree !== null ? (memberOf(tree, "tokenIssuers") ?? []) : null;
  if (!Array.isArray(given)) return issuers;
  const listed = new Set(given.map((one: unknown) => memberOf(one, "issuer")));
  return issuers.filter(({ issuer }) => listed.has(issuer));
}

/** With another issuer or client the provider is another one. */
function remainingSignIn(tree: unknown, signIn: Holders["operatorSignIn"]): Holders["operatorSignIn"] {
  if (signIn === null || typeof tree !== "object" || tree === null) return signIn;
  const given = memberOf(tree, "operatorSignIn");
  if (memberOf(given, "issuer") !== signIn.issuer || memberOf(given, "clientId") !== signIn.clientId) return null;
  const listed = readTexts(given, "acrValues");
  const acrValues = signIn.acrValues.filter((value) => listed?.includes(value) ?? true);
  const takesTokens = signIn.takesTokens && memberOf(given, "takesTokens") !== false;
  const isKept = memberOf(given, "commandLineClient") === (signIn.commandLineClient ?? undefined);
  const commandLineClient = isKept ? signIn.commandLineClient : null;
  const isSame = acrValues.length === signIn.acrValues.length && takesTokens === signIn.takesTokens;
  return isSame && commandLineClient === signIn.commandLineClient ? signIn : { ...signIn, acrValues, takesTokens, commandLineClient };
}

/** Certificates that the file has in another form stay, as all do that cannot be read. */
function remainingCertificates({ id, certificates }: Holder, entries: Entries): Holder["certificates"] {
  const given = memberOf(entries?.get(id), "certificates");
  if (certificates === null || !Array.isArray(given)) return certificates;
  const listed = given.map((one) => readBinding(one));
  if (listed.includes(null)) return certificates;
  const named = new Set(listed.map((one) => (one === null ? "" : formatBinding(one))));
  return certificates.filter((one) => named.has(formatBinding(one)));
}

/** Who is bound to a bank by the file loses every role: as whose person the file would have it, nobody can say yet. */
function withoutRoles(operator: ConfiguredOperator, entries: Entries): ConfiguredOperator {
  const entry = entries?.get(operator.id);
  const roles = readTexts(entry, "roles");
  const bank = memberOf(entry, "bank");
  const isNarrowed = bank !== undefined && bank !== operator.bank;
  const left = operator.roles.filter((role) => !isNarrowed && (roles?.includes(role) ?? true));
  return left.length === operator.roles.length ? operator : { ...operator, roles: left };
}

/** An operator of every scheme may be one of some by the file. */
function withoutSchemes(operator: ConfiguredOperator, entries: Entries): ConfiguredOperator {
  const given = readTexts(entries?.get(operator.id), "schemes");
  if (given === null) return operator;
  const left = operator.schemes?.filter((scheme) => given.includes(scheme)) ?? given;
  return left.length === operator.schemes?.length ? operator : { ...operator, schemes: left };
}

/** #2: of an operator whom the file does not list, it is taken away. */
function withoutSubject(operator: ConfiguredOperator, entries: Entries): ConfiguredOperator {
  if (entries === null || operator.subject === null || memberOf(entries.get(operator.id), "subject") === operator.subject) return operator;
  return { ...operator, subject: null };
}

function remainingTokens({ id, tokens }: Holder, entries: Entries): readonly HeldToken[] {
  if (entries === null) return tokens;
  if (!entries.has(id)) return [];
  const ends = readEnds(entries.get(id));
  if (ends === null) return tokens;
  return tokens.flatMap((token) => endEarlier(token, ends.get(token.sha256)));
}

/** `endMs` is the end that the file gives it, Infinity for none; undefined: the file does not list it. */
function endEarlier<T extends { readonly notAfterMs: number | null }>(credential: T, endMs: number | undefined): readonly T[] {
  if (endMs === undefined) return [];
  return [endMs < (credential.notAfterMs ?? Infinity) ? { ...credential, notAfterMs: endMs } : credential];
}

/** #2: Infinity for none, and for one that cannot be read. */
function readEnd(given: unknown): number {
  return (typeof given === "string" ? readInstant(given) : null) ?? Infinity;
}

/** #2: the ends of the listed tokens by their hashes, Infinity for none; null: the tokens cannot be read. */
function readEnds(entry: unknown): ReadonlyMap<string, number> | null {
  const [undated, dated] = ["tokenSha256", "tokens"].map((name) => memberOf(entry, name));
  if (undated === undefined && dated === undefined) return null;
  const ends = new Map<string, number>();
  for (const [list, read] of [
    [undated, (hash: unknown) => ({ hash, end: undefined })],
    [dated, (token: unknown) => ({ hash: memberOf(token, "sha256"), end: memberOf(token, "notAfter") })],
  ] as const) {
    if (list !== undefined && !Array.isArray(list)) return null;
    for (const { hash, end } of (list ?? []).map(read)) {
      if (typeof hash !== "string" || !/^[0-9a-f]{64}$/i.test(hash)) return null;
      ends.set(hash.toLowerCase(), readEnd(end));
    }
  }
  return ends;
}

/** #2: the members of a list by their ids. */
function readEntries(tree: unknown, name: string): Entries {
  const list = memberOf(tree, name);
  if (!Array.isArray(list) || list.length === 0) return null;
  const entries = new Map<string, unknown>();
  for (const entry of list as readonly unknown[]) {
    const id = memberOf(entry, "id");
    if (typeof id !== "string") return null;
    entries.set(id, entry);
  }
  return entries;
}

function readTexts(entry: unknown, name: string): readonly string[] | null {
  const texts = memberOf(entry, name);
  return Array.isArray(texts) && texts.every((text) => typeof text === "string") ? texts : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
