// The callers of a configuration: banks and connectors, with what is known of their requests.

import type { Configuration, ConfiguredParty } from "./configuration.ts";

export interface CallerSettings extends Pick<
  ConfiguredParty,
  "id" | "tokens" | "certificates" | "clients" | "messageSignatures" | "requestsPerSecond" | "inboundConnections"
> {
  readonly kind: "bank" | "connector";
}

export function listCallers({ banks, connectors }: Configuration): readonly CallerSettings[] {
  return [
    ...banks.map((bank) => toCallerSettings("bank", bank)),
    ...connectors.map((connector) => toCallerSettings("connector", connector)),
  ];
}

function toCallerSettings(kind: CallerSettings["kind"], party: ConfiguredParty): CallerSettings {
  const { id, tokens, certificates, clients, messageSignatures, requestsPerSecond, inboundConnections } = party;
  return { id, kind, tokens, certificates, clients, messageSignatures, requestsPerSecond, inboundConnections };
}
