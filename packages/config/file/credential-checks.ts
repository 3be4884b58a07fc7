// Checks the members with which Sluice calls a bank or connector: addresses, tokens, signing keys. No text repeats a
// value.
//
// #1 A secret has one source: a variable of the environment, or a file.
// #2 Without TLS only listed addresses are called. If none is listed, an http address could never be called, nor could
//    a name that a proxy resolves.
// #3 The form of a signing key shows its kind. A key of the wrong kind or length is refused at the start, not at the
//    first message.
// #4 An access token needs something that proves us to its server: a key or a certificate. It replaces a bearer token.
// #5 A token that no header can carry is refused here, because it would otherwise fail only at the first message.

import { isIP } from "node:net";
import { isUnresolvedVariable } from "./variables.ts";
import type { BankInFile, ConnectorInFile } from "./file-schema.ts";
import type { PartAtPath } from "./cross-checks.ts";
import { type Path, type Problem, problemAt } from "./problem.ts";
import { readSigningSecret, signingSecretForms } from "./signing-secret.ts";

type SigningKeyInFile = BankInFile["signingKeys"][number];

export function checkCredentials(parties: readonly PartAtPath<BankInFile | ConnectorInFile>[]): readonly Problem[] {
  return parties.flatMap(({ path, value }) => [
    ...(value.bearerToken !== null && value.bearerTokenFile !== null
      ? [problemAt([...path, "bearerTokenFile"], "not together with bearerToken")]
      : []),
    ...(value.egressProxyCredentialsFile !== null && value.egressProxy === null
      ? [problemAt([...path, "egressProxyCredentialsFile"], "only together with egressProxy")]
      : []),
    ...checkToken([...path, "bearerToken"], value.bearerToken),
    ...checkAccessToken([...path, "accessToken"], value),
    ...checkAddresses(path, value),
    ...value.signingKeys.flatMap((key, index) => checkSigningKey([...path, "signingKeys", index], key)),
  ]);
}

/** #5 */
function checkToken(path: Path, token: string | null): readonly Problem[] {
  if (token === null || isUnresolvedVariable(token) || /^[\x21-\x7e]+$/.test(token)) return [];
  return [problemAt(path, "printable ASCII without blanks; look for a line's end")];
}

/** #4 */
function checkAccessToken(path: Path, party: BankInFile | ConnectorInFile): readonly Problem[] {
  const { accessToken, bearerToken, bearerTokenFile, clientCertificate } = party;
  if (accessToken === null) return [];
  const { keyFile, keyId, audience } = accessToken;
  const isAlone = bearerToken === null && bearerTokenFile === null;
  const unused = keyFile === null ? Object.entries({ keyId, audience }).filter(([, given]) => given !== null) : [];
  return [
    ...(isAlone ? [] : [problemAt(path, "not together with bearerToken or bearerTokenFile")]),
    ...(keyFile === null && clientCertificate === null ? [problemAt([...path, "keyFile"], "needs this, or a clientCertificate")] : []),
    ...unused.map(([member]) => problemAt([...path, member], "only together with keyFile")),
  ];
}

/** #2 */
function checkAddresses(path: Path, party: BankInFile | ConnectorInFile): readonly Problem[] {
  const addresses: readonly [Path, string | null | undefined][] = [
    [[...path, "baseUrl"], party.baseUrl],
    ...Object.entries(party.operationUrls).map(([name, url]): [Path, string | undefined] => [[...path, "operationUrls", name], url]),
    [[...path, "accessToken", "tokenUrl"], party.accessToken?.tokenUrl],
    [[...path, "eventsUrl"], "eventsUrl" in party ? party.eventsUrl : null],
  ];
  return addresses.flatMap(([at, url]) => {
    if (url?.startsWith("http:") !== true) return [];
    if (party.allowedAddresses.length === 0) return [problemAt(at, "without TLS, which needs the address in allowedAddresses")];
    const isName = isIP(new URL(url).hostname.replaceAll(/^\[|\]$/g, "")) === 0;
    return isName && party.egressProxy !== null ? [problemAt(at, "without TLS, and only the proxy knows the address behind the name")] : [];
  });
}

/** #1 #3 */
function checkSigningKey(path: Path, { kind, secret, secretFile }: SigningKeyInFile): readonly Problem[] {
  if ((secret === null) === (secretFile === null)) return [problemAt(path, "needs either a secret or a secretFile")];
  if (secret === null || isUnresolvedVariable(secret) || readSigningSecret(kind, secret) !== null) return [];
  return [problemAt([...path, "secret"], signingSecretForms[kind])];
}
