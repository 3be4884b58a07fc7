// A scheme connector beside Sluice, without sockets: it sends off-us debits and credits, declares credits final, and is told outcomes,
// which it acknowledges unless its script says otherwise. `startConnectorSimulator` puts it on real HTTP.

import { connectorCallPaths, type SendEnd } from "./bank-client.ts";
import { creditsFinal, type CreditsFinalOptions, type JsonObject } from "./builders.ts";
import { createSimulatedParty, type PartyPorts, type SimulatedParty } from "./simulated-party.ts";

export interface SimulatedConnector extends SimulatedParty {
  readonly connectorId: string;
  /** Off-us. */
  sendDebit(message: JsonObject): Promise<SendEnd>;
  sendCredit(message: JsonObject): Promise<SendEnd>;
  /** For all banks. */
  declareCreditsFinal(options?: CreditsFinalOptions): Promise<SendEnd>;
}

export interface SimulatedConnectorPorts extends PartyPorts {
  readonly connectorId: string;
}

export function createSimulatedConnector(ports: SimulatedConnectorPorts): SimulatedConnector {
  const { connectorId } = ports;
  const party = createSimulatedParty({ ...ports, partyId: connectorId, paths: connectorCallPaths });
  return {
    ...party,
    connectorId,
    sendDebit: (message) => party.send("inboundDirectDebit", message),
    sendCredit: (message) => party.send("inboundCreditTransferAuthorization", message),
    declareCreditsFinal: (options) => party.send("creditsFinal", creditsFinal(options)),
  };
}
