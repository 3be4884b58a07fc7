// Starts the simulated banks and the connector of a demo day, and makes its operators.

import type { Random, Time } from "@sluice/kernel";
import {
  startBankSimulator,
  startConnectorSimulator,
  type BankSimulator,
  type ConnectorSimulator,
  type MemoryRecorder,
} from "@sluice/testkit";
import type { Narrator } from "../narrator.ts";
import { demoConnectorId, type DemoDay } from "../plan/day.ts";
import type { DemoBankAccess, DemoConnectorAccess, DemoOperator } from "./configuration.ts";

export interface PartiesOptions {
  readonly time: Time;
  readonly random: Random;
  readonly narrator: Narrator;
  readonly day: DemoDay;
}

const host = "127.0.0.1";
/** A real bank would wait for a minute, which is too long for the demo's day. */
const slowRepeatMs = 2_000;

export function createOperators(random: Random): readonly DemoOperator[] {
  return [
    { id: "thandi", name: "Thandi", roles: ["read", "act"], token: random.hex(24) },
    { id: "sipho", name: "Sipho", roles: ["read", "approve"], token: random.hex(24) },
  ];
}

interface RunningBank extends DemoBankAccess {
  readonly simulator: BankSimulator;
}

export async function openBanks(
  options: PartiesOptions,
  recorded: MemoryRecorder,
  opened: AsyncDisposableStack,
): Promise<readonly RunningBank[]> {
  const { time, random, day, narrator } = options;
  const banks: RunningBank[] = [];
  for (const bank of day.banks) {
    const token = random.hex(24);
    const sluiceToken = random.hex(24);
    const simulator = await startBankSimulator({
      time,
      random,
      bankId: bank.id,
      token,
      expectedToken: sluiceToken,
      ingressUrl: null,
      host,
      port: 0,
      script: bank.script,
      slowRepeatMs,
      recorder: narrator.recorder(day, recorded),
    });
    opened.defer(() => simulator.stop());
    banks.push({ ...bank, url: simulator.url, token, sluiceToken, simulator });
  }
  return banks;
}

export async function openConnector(
  { time, random, day, narrator }: PartiesOptions,
  recorded: MemoryRecorder,
  opened: AsyncDisposableStack,
): Promise<DemoConnectorAccess & { readonly simulator: ConnectorSimulator }> {
  const token = random.hex(24);
  const sluiceToken = random.hex(24);
  const recorder = narrator.recorder(day, recorded);
  const common = { time, random, token, expectedToken: sluiceToken, ingressUrl: null, host, port: 0, slowRepeatMs, recorder };
  const simulator = await startConnectorSimulator({ ...common, connectorId: demoConnectorId });
  opened.defer(() => simulator.stop());
  return { id: demoConnectorId, url: simulator.url, token, sluiceToken, simulator };
}
