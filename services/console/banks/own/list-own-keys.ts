// What a bank or connector may come with: ids and ends, never a secret. So its own people see what ends soon, and
// whether a key that they gave is in force.
//
// #1 It is what this process knows of the configuration. Ingress reads the same file.

import { type ConfiguredParty, formatBinding } from "@sluice/config";
import { formatOptionalInstant } from "../../views/control-values.ts";

type Holder = Pick<ConfiguredParty, "tokens" | "certificates" | "clients" | "messageSignatures">;

/** `nowMs` is the time of the machine, by which a key ends. */
export function listOwnKeys({ tokens, certificates, clients, messageSignatures }: Holder, nowMs: number) {
  const withEnd = (kind: "token" | "message-key", id: string, endsMs: number | null) => ({
    kind,
    id,
    ends: formatOptionalInstant(endsMs),
    hasEnded: endsMs !== null && endsMs < nowMs,
  });
  const endless = (kind: "certificate" | "client", id: string) => ({ kind, id, ends: null, hasEnded: false });
  return [
    ...tokens.map(({ id, notAfterMs }) => withEnd("token", id, notAfterMs)),
    ...(certificates ?? []).map((certificate) => endless("certificate", formatBinding(certificate))),
    ...clients.map(({ issuer, clientId }) => endless("client", `${clientId} of ${issuer}`)),
    ...(messageSignatures?.keys ?? []).map(({ id, notAfterMs }) => withEnd("message-key", id, notAfterMs)),
  ];
}
