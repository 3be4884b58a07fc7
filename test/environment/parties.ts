// Starts simulated banks and a connector on real HTTP. Each has its own tokens, and the configuration file names them
// all.

import {
  type BankSimulator,
  type ConnectorSimulator,
  type PartyRecorder,
  type ScriptRule,
  startBankSimulator,
  startConnectorSimulator,
} from "@sluice/testkit";
import { machineRandom, machineTime } from "@sluice/kernel";
import type { EnvironmentBankAccess, PartyAccess } from "./configuration.ts";

export interface EnvironmentBank {
  readonly id: string;
  readonly branch: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface EnvironmentParties {
  readonly banks: () => readonly EnvironmentBankAccess[];
  readonly simulators: ReadonlyMap<string, BankSimulator>;
  readonly connector: { readonly simulator: ConnectorSimulator; readonly access: PartyAccess };
  /**
   * Replaces the tokens of a bank in what `banks` returns; running services see them only from a new configuration
   * file.
   */
  replaceTokens(id: string, tokens: readonly string[]): void;
  /** Tells every simulator where ingress listens. */
  callAt(ingressUrl: string): void;
}

export interface EnvironmentPartiesOptions {
  readonly recorder: PartyRecorder;
  /** Rules of every bank; a test can put its own in front of them. */
  readonly script: readonly ScriptRule[];
  /** Milliseconds between repeats after the first ones; 1,000 by default. */
  readonly slowRepeatMs?: number;
  /** The address at which they listen; the loopback address by default. */
  readonly host?: string;
}

const loopbackAddress = "127.0.0.1";
export const clearingConnectorId = "clearing";

/** Starts the parties; `opened` stops them. */
export async function openParties(
  requested: readonly EnvironmentBank[],
  { recorder, script, slowRepeatMs = 1_000, host = loopbackAddress }: EnvironmentPartiesOptions,
  opened: AsyncDisposableStack,
): Promise<EnvironmentParties> {
  const simulators = new Map<string, BankSimulator>();
  const machine = { time: machineTime, random: machineRandom, host, port: 0, ingressUrl: null, slowRepeatMs, recorder };
  let banks: readonly EnvironmentBankAccess[] = [];
  for (const { id, branch, members = {} } of requested) {
    const [token, sluiceToken] = [machineRandom.hex(24), machineRandom.hex(24)];
    const simulator = await startBankSimulator({ ...machine, bankId: id, token, expectedToken: sluiceToken, script, connections: 64 });
    opened.defer(() => simulator.stop());
    simulators.set(id, simulator);
    banks = [...banks, { id, branch, members, url: simulator.url, tokens: [token], sluiceToken }];
  }
  const [token, sluiceToken] = [machineRandom.hex(24), machineRandom.hex(24)];
  const simulator = await startConnectorSimulator({ ...machine, connectorId: clearingConnectorId, token, expectedToken: sluiceToken });
  opened.defer(() => simulator.stop());
  const access: PartyAccess = { id: clearingConnectorId, url: simulator.url, tokens: [token], sluiceToken };
  return {
    simulators,
    banks: () => banks,
    connector: { simulator, access },
    replaceTokens(id, tokens) {
      banks = banks.map((bank) => (bank.id === id ? { ...bank, tokens } : bank));
    },
    callAt(ingressUrl) {
      for (const party of [...simulators.values(), simulator]) party.setIngressUrl(ingressUrl);
    },
  };
}
