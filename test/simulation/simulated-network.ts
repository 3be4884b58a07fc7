// Simulates the network between banks, the connector and Sluice in both directions, with latency and with answers that
// are lost after the other side has acted.

import type { ReceiverGateway } from "@sluice/delivery";
import type { Ingress } from "@sluice/ingress";
import { type Random, sleep } from "@sluice/kernel";
import {
  createSimulatedBank,
  createSimulatedConnector,
  type MessageObject,
  type PartyPorts,
  type PartyRecorder,
  type PartyTransport,
  sampleToken,
  type SendResult,
  type SimulatedBank,
  type SimulatedConnector,
  type SimulatedParty,
  type TransportAnswer,
  type VirtualTime,
} from "@sluice/testkit";
import { type ScenarioMessage, simulatedBankIds, simulatedConnectorId } from "./messages.ts";
import type { Scenario } from "./scenario.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

export interface SimulatedPartiesOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly recorder: PartyRecorder;
  readonly isTroubled: () => boolean;
  readonly ingress: () => readonly { readonly running: Ingress; readonly process: SimulatedProcess }[];
}

export interface SimulatedParties {
  readonly gateway: ReceiverGateway;
  send(planned: ScenarioMessage): void;
  /** The number of requests of banks and connector that are under way or planned. */
  pendingCount(): number;
  stop(): Promise<void>;
}

const latencyMinMs = 0.5;
const latencyMaxMs = 20;

export function startSimulatedParties(options: SimulatedPartiesOptions): SimulatedParties {
  const { time, random } = options;
  const banks = new Map<string, SimulatedBank>(
    simulatedBankIds.map((bankId) => [bankId, createSimulatedBank({ ...partyPorts(options, bankId), bankId })]),
  );
  const connector = createSimulatedConnector({ ...partyPorts(options, simulatedConnectorId), connectorId: simulatedConnectorId });
  const parties = new Map<string, SimulatedParty>([...banks, [simulatedConnectorId, connector]]);
  const travel = (): Promise<void> => sleep(time, latencyMinMs + random.fraction() * (latencyMaxMs - latencyMinMs));

  return {
    gateway: {
      async post(request) {
        const party = parties.get(request.receiverId);
        if (party === undefined) return { kind: "silent", reason: "ENOTFOUND" };
        await travel();
        const answer = await party.handle(request);
        await travel();
        return isLost(options) ? { kind: "silent", reason: "ECONNRESET" } : answer;
      },
      close: () => Promise.resolve(),
    },
    send(planned) {
      void sendPlanned(planned, banks.get(planned.party), connector);
    },
    pendingCount: () => [...parties.values()].reduce((sum, party) => sum + party.pendingCount(), 0),
    async stop() {
      await Promise.all([...parties.values()].map((party) => party.stop()));
    },
  };
}

function sendPlanned(
  { what, message }: ScenarioMessage,
  bank: SimulatedBank | undefined,
  connector: SimulatedConnector,
): Promise<SendResult> | undefined {
  if (what === "credit") return connector.sendCredit(message);
  if (what === "off-us debit") return connector.sendDebit(message);
  if (what === "credits final") return connector.declareCreditsFinal(readDeclaration(message));
  return bank?.sendDebit(message);
}

function readDeclaration({ businessDate }: MessageObject): { readonly businessDate: string } {
  return { businessDate: typeof businessDate === "string" ? businessDate : "" };
}

function partyPorts(options: SimulatedPartiesOptions, partyId: string): PartyPorts {
  const { time, random, scenario, recorder } = options;
  return {
    time,
    random,
    token: sampleToken(partyId),
    expectedToken: null,
    script: scenario.scripts.get(partyId) ?? [],
    transport: createTransport(options, partyId),
    recorder,
    giveUpAfterMs: 600_000,
  };
}

/**
 * Creates a transport that identifies a party by its connection, because authentication belongs to HTTP and is tested
 * there.
 */
function createTransport(options: SimulatedPartiesOptions, partyId: string): PartyTransport {
  const { time, random } = options;
  return {
    async post(request): Promise<TransportAnswer | null> {
      await sleep(time, latencyMinMs + random.fraction() * latencyMaxMs);
      const up = options.ingress();
      const chosen = up[Math.floor(random.fraction() * up.length)];
      if (chosen === undefined) return null;
      const ingress = chosen.process.through("ingress", chosen.running);
      const answer = await ingress.accept({ operation: request.operation, caller: partyId, body: request.body });
      await sleep(time, latencyMinMs + random.fraction() * latencyMaxMs);
      if (isLost(options)) return null;
      if (answer.status === 202) return { status: 202, retryAfter: null, body: new Uint8Array() };
      const { retryAfterSeconds } = answer;
      return { status: answer.status, retryAfter: retryAfterSeconds === null ? null : String(retryAfterSeconds), body: new Uint8Array() };
    },
    close: () => Promise.resolve(),
  };
}

function isLost(options: SimulatedPartiesOptions): boolean {
  return options.isTroubled() && options.random.fraction() < options.scenario.lostAnswer;
}
