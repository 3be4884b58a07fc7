// Simulated banks and a connector on real HTTP, with tokens of their own, as the configuration names them.

import { startBankSimulator, startConnectorSimulator } from "@sluice/testkit";
import type { BankRecorder, BankSimulator, ConnectorSimulator, ScriptRule } from "@sluice/testkit";
import { machineRandom, machineTime } from "@sluice/runtime";
import type { BankInWorld, PartyAccess } from "./configuration.ts";

export interface WorldBank {
  readonly id: string;
  readonly branch: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface WorldParties {
  readonly banks: () => readonly BankInWorld[];
  readonly simulators: ReadonlyMap<string, BankSimulator>;
  readonly connector: { readonly simulator: ConnectorSimulator; readonly access: PartyAccess };
  /** Of a bank, in what `banks` answers. */
  replaceTokens(id: string, tokens: readonly string[]): void;
  /** Where ingress listens. */
  callAt(ingressUrl: string): void;
}

export interface WorldPartiesOptions {
  readonly recorder: BankRecorder;
  /** What banks do where a test says nothing else. */
  readonly script: readonly ScriptRule[];
  /** Between repeats after the first ones; a second where none is given. */
  readonly slowRepeatMs?: number;
}

const host = "127.0.0.1";
export const connectorId = "clearing";

/** What is opened is closed by `opened`. */
export async function openParties(
  given: readonly WorldBank[],
  { recorder, script, slowRepeatMs = 1_000 }: WorldPartiesOptions,
  opened: AsyncDisposableStack,
): Promise<WorldParties> {
  const simulators = new Map<string, BankSimulator>();
  const machine = { time: machineTime, random: machineRandom, host, port: 0, ingressUrl: null, slowRepeatMs, recorder };
  let banks: readonly BankInWorld[] = [];
  for (const { id, branch, members = {} } of given) {
    const [token, sluiceToken] = [machineRandom.hex(24), machineRandom.hex(24)];
    const simulator = await startBankSimulator({ ...machine, bankId: id, token, expectedToken: sluiceToken, script, connections: 64 });
    opened.defer(() => simulator.stop());
    simulators.set(id, simulator);
    banks = [...banks, { id, branch, members, url: simulator.url, tokens: [token], sluiceToken }];
  }
  const [token, sluiceToken] = [machineRandom.hex(24), machineRandom.hex(24)];
  const simulator = await startConnectorSimulator({ ...machine, connectorId, token, expectedToken: sluiceToken });
  opened.defer(() => simulator.stop());
  const access: PartyAccess = { id: connectorId, url: simulator.url, tokens: [token], sluiceToken };
  return {
    simulators,
    banks: () => banks,
    connector: { simulator, access },
    replaceTokens(id, tokens) {
      banks = banks.map((bank) => (bank.id === id ? { ...bank, tokens } : bank));
    },
    callAt(ingressUrl) {
      for (const party of [...simulators.values(), simulator]) party.callAt(ingressUrl);
    },
  };
}
