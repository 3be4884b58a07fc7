// Simulates a scheme connector without sockets. It sends off-us debits and credits, declares credits final, and
// receives outcome reports, which it acknowledges unless its script says otherwise. `startConnectorSimulator` serves it
// over real HTTP.

import { connectorCallPaths, type SendResult } from "./client.ts";
import { buildCreditsFinal, type CreditsFinalOptions, type MessageObject } from "../messages/builders.ts";
import { createSimulatedParty, type PartyPorts, type SimulatedParty } from "./simulated-party.ts";

export interface SimulatedConnector extends SimulatedParty {
  readonly connectorId: string;
  /** Sends an off-us debit. */
  sendDebit(message: MessageObject): Promise<SendResult>;
  sendCredit(message: MessageObject): Promise<SendResult>;
  /** Declares credits final for all banks. */
  declareCreditsFinal(options?: CreditsFinalOptions): Promise<SendResult>;
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
    declareCreditsFinal: (options) => party.send("creditsFinal", buildCreditsFinal(options)),
  };
}
