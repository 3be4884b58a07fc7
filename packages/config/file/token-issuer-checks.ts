// Checks authorization servers and the clients that callers have there.
//
// #1 Keys that come over a network come with TLS, because who changes them can sign tokens. Loopback addresses need
//    none.

import { isLoopback } from "../environment/connection-settings.ts";
import type { PartAtPath } from "./cross-checks.ts";
import { type Path, type Problem, problemAt } from "./problem.ts";
import type { TokenIssuerInFile } from "./token-issuers.ts";

interface PartyInFile {
  readonly clients: readonly { readonly issuer: string; readonly clientId: string }[];
}

/** `issuers` is null where the file's own cannot be read. */
export function checkTokenIssuers(
  issuers: readonly TokenIssuerInFile[] | null,
  parties: readonly PartAtPath<PartyInFile>[],
): readonly Problem[] {
  if (issuers === null) return [];
  const known = new Set(issuers.map((one) => one.issuer));
  const clients = new Set<string>();
  return [
    ...issuers.flatMap((one, index) => checkIssuer(["tokenIssuers", index], one)),
    ...issuers.flatMap((one, index) =>
      issuers.findIndex((other) => other.issuer === one.issuer) === index
        ? []
        : [problemAt(["tokenIssuers", index, "issuer"], "another one has this issuer")],
    ),
    ...parties.flatMap(({ path, value }) =>
      value.clients.flatMap((client, index) => {
        const at = [...path, "clients", index];
        const name = JSON.stringify([client.issuer, client.clientId]);
        const isTaken = clients.has(name);
        clients.add(name);
        return [
          ...(known.has(client.issuer) ? [] : [problemAt([...at, "issuer"], "none of tokenIssuers")]),
          ...(isTaken ? [problemAt(at, "the same client twice")] : []),
        ];
      }),
    ),
  ];
}

function checkIssuer(path: Path, { jwksUrl, jwksFile, caFile }: TokenIssuerInFile): readonly Problem[] {
  if ((jwksUrl === null) === (jwksFile === null)) return [problemAt(path, "needs either a jwksUrl or a jwksFile")];
  if (jwksUrl === null) return caFile === null ? [] : [problemAt([...path, "caFile"], "only together with jwksUrl")];
  const url = URL.parse(jwksUrl);
  if (url === null) return [problemAt([...path, "jwksUrl"], "an http or https address")];
  // #1
  const isSafe = url.protocol === "https:" || isLoopback(url.hostname);
  return isSafe ? [] : [problemAt([...path, "jwksUrl"], "must be https: who changes the keys can sign tokens")];
}
