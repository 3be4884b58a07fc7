// A bank beside Sluice, without sockets. `startBankSimulator` puts it on real HTTP; the simulation calls `handle` and brings a
// transport of its own.

import { bankCallPaths, type SendEnd } from "./bank-client.ts";
import { creditsFinal, type CreditsFinalOptions, type JsonObject } from "./builders.ts";
import { createSimulatedParty, type PartyPorts, type SimulatedParty } from "./simulated-party.ts";

export interface SimulatedBank extends SimulatedParty {
  readonly bankId: string;
  sendDebit(message: JsonObject): Promise<SendEnd>;
  /** On a debit. */
  sendReport(message: JsonObject): Promise<SendEnd>;
  /** On a credit. */
  sendCreditReport(message: JsonObject): Promise<SendEnd>;
  /** For itself. */
  declareCreditsFinal(options?: CreditsFinalOptions): Promise<SendEnd>;
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
    declareCreditsFinal: (options) => party.send("creditsFinal", creditsFinal(options)),
  };
}
