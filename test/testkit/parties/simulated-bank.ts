// Simulates a bank without sockets. `startBankSimulator` serves it over real HTTP. The simulation calls `handle` and
// has a transport of its own.

import { bankCallPaths, type SendResult } from "./client.ts";
import { buildCreditsFinal, type CreditsFinalOptions, type MessageObject } from "../messages/builders.ts";
import { createSimulatedParty, type PartyPorts, type SimulatedParty } from "./simulated-party.ts";

export interface SimulatedBank extends SimulatedParty {
  readonly bankId: string;
  sendDebit(message: MessageObject): Promise<SendResult>;
  /** Sends a report on a debit. */
  sendReport(message: MessageObject): Promise<SendResult>;
  /** Sends a report on a credit. */
  sendCreditReport(message: MessageObject): Promise<SendResult>;
  /** Declares credits final for this bank. */
  declareCreditsFinal(options?: CreditsFinalOptions): Promise<SendResult>;
}

export interface SimulatedBankPorts extends PartyPorts {
  readonly bankId: string;
}

export function createSimulatedBank(ports: SimulatedBankPorts): SimulatedBank {
  const { bankId } = ports;
  const party = createSimulatedParty({ ...ports, partyId: bankId, paths: bankCallPaths });
  return {
    ...party,
    bankId,
    sendDebit: (message) => party.send("outboundDirectDebit", message),
    sendReport: (message) => party.send("inboundDirectDebitResponse", message),
    sendCreditReport: (message) => party.send("inboundCreditTransferAuthorizationResponse", message),
    declareCreditsFinal: (options) => party.send("creditsFinal", buildCreditsFinal(options)),
  };
}
