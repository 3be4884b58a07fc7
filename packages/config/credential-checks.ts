// What the members by which Sluice calls a party must be, and to each other. No text repeats a value.
//
// #1 A secret stands in one place: in a variable of the environment, or in a file.
// #2 Without TLS a party is called only at addresses that it lists: where it lists none, an http address could never be called, nor could a
//    name that a proxy resolves.
// #3 The form of a signing key tells which kind it is; one of the wrong kind or length is refused at the start, not at the first message.
// #4 A token that no header can carry would be found out at the first message, and then be silence.

import { isIP } from "node:net";
import { isUnresolved } from "./environment.ts";
import type { BankInFile, ConnectorInFile } from "./file-schema.ts";
import type { Placed } from "./cross-checks.ts";
import { problem } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";
import { signingSecretBytes, signingSecretForms } from "./signing-secret.ts";

type SigningKeyInFile = BankInFile["signingKeys"][number];

/** An address, or a CIDR block of one. */
export function isAddressBlock(given: string): boolean {
  const [address = "", bits, ...more] = given.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || more.length > 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function checkCredentials(parties: readonly Placed<BankInFile | ConnectorInFile>[]): readonly Problem[] {
  return parties.flatMap(({ path, value }) => [
    ...(value.bearerToken !== null && value.bearerTokenFile !== null
      ? [problem([...path, "bearerTokenFile"], "beside a bearerToken")]
      : []),
    ...checkToken([...path, "bearerToken"], value.bearerToken),
    ...checkAddresses(path, value),
    ...value.signingKeys.flatMap((key, index) => checkSigningKey([...path, "signingKeys", index], key)),
  ]);
}

/** #4 */
function checkToken(path: Path, token: string | null): readonly Problem[] {
  if (token === null || isUnresolved(token) || /^[\x21-\x7e]+$/.test(token)) return [];
  return [problem(path, "printable ASCII without blanks; look for a line's end")];
}

/** #2 */
function checkAddresses(path: Path, party: BankInFile | ConnectorInFile): readonly Problem[] {
  const addresses: readonly [Path, string | null | undefined][] = [
    [[...path, "baseUrl"], party.baseUrl],
    ...Object.entries(party.operationUrls).map(([name, url]): [Path, string | undefined] => [[...path, "operationUrls", name], url]),
    [[...path, "eventsUrl"], "eventsUrl" in party ? party.eventsUrl : null],
  ];
  return addresses.flatMap(([at, url]) => {
    if (url?.startsWith("http:") !== true) return [];
    if (party.allowedAddresses.length === 0) return [problem(at, "without TLS, and allowedAddresses lists none: only those are called so")];
    const isName = isIP(new URL(url).hostname.replaceAll(/^\[|\]$/g, "")) === 0;
    return isName && party.egressProxy !== null ? [problem(at, "without TLS, and where the name leads is known to the proxy alone")] : [];
  });
}

/** #1 #3 */
function checkSigningKey(path: Path, { kind, secret, secretFile }: SigningKeyInFile): readonly Problem[] {
  if ((secret === null) === (secretFile === null)) return [problem(path, "needs either a secret or a secretFile")];
  if (secret === null || isUnresolved(secret) || signingSecretBytes(kind, secret) !== null) return [];
  return [problem([...path, "secret"], signingSecretForms[kind])];
}
