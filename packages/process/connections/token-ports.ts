// What access tokens of authorization servers are judged with: their keys, from a file or an address, and the origins
// under which callers reach us.
//
// #1 A key set is asked for with a connection of its own, over TLS with the machine's authorities or the issuer's own.
//    It has `answerTimeoutMs`, because a caller waits for it.

import { createSecureContext } from "node:tls";
import { readSecretFile, requestText } from "@sluice/connection";
import type { Time, TokenIssuer } from "@sluice/kernel";
import type { TokenPorts } from "@sluice/service";
import type { Need } from "../needs.ts";

const answerTimeoutMs = 3_000;

export const tokenPorts: Need<TokenPorts, "SLUICE_PUBLIC_ORIGINS"> = {
  variables: ["SLUICE_PUBLIC_ORIGINS"],
  open: ({ environment, time }) => ({
    loadKeySet: async (issuer) => await loadKeySet(issuer, time),
    origins: environment.SLUICE_PUBLIC_ORIGINS ?? [],
  }),
};

/** #1 */
export async function loadKeySet({ keys }: TokenIssuer, time: Time): Promise<string> {
  if (keys.kind === "file") return String(await readSecretFile(keys.path));
  const { url, caFile } = keys;
  const tls =
    url.startsWith("https:") && caFile !== null ? { secureContext: createSecureContext({ ca: await readSecretFile(caFile) }) } : {};
  const headers = { accept: "application/jwk-set+json, application/json" };
  const { status, body } = await requestText({ url, method: "GET", headers, ...tls, time, timeoutMs: answerTimeoutMs });
  if (status !== 200) throw new Error(`it answers ${status}`);
  return body;
}
