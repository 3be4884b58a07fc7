// The network between banks, the connector and Sluice, both ways: latency, and answers that get lost after the other side has acted.

import type { BankGateway } from "@sluice/delivery";
import type { Ingress } from "@sluice/ingress";
import type { Random } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import { createSimulatedBank, createSimulatedConnector, sampleToken } from "@sluice/testkit";
import type {
  BankRecorder,
  BankTransport,
  PartyPorts,
  SendEnd,
  SimulatedBank,
  SimulatedConnector,
  SimulatedParty,
  TransportAnswer,
  VirtualTime,
} from "@sluice/testkit";
import type { PlannedMessage, Scenario } from "./scenario.ts";
import { bankIds, connectorId } from "./scenario.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

export interface BanksOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly recorder: BankRecorder;
  readonly isTroubled: () => boolean;
  readonly ingress: () => readonly { readonly running: Ingress; readonly process: SimulatedProcess }[];
}

export interface Banks {
  readonly gateway: BankGateway;
  send(planned: PlannedMessage): void;
  /** Requests of banks and connector that are under way or planned. */
  busy(): number;
  stop(): Promise<void>;
}

const latencyMinMs = 0.5;
const latencyMaxMs = 20;

export function startBanks(options: BanksOptions): Banks {
  const { time, random } = options;
  const banks = new Map<string, SimulatedBank>(
    bankIds.map((bankId) => [bankId, createSimulatedBank({ ...partyPorts(options, bankId), bankId })]),
  );
  const connector = createSimulatedConnector({ ...partyPorts(options, connectorId), connectorId });
  const parties = new Map<string, SimulatedParty>([...banks, [connectorId, connector]]);
  const travel = (): Promise<void> => sleep(time, latencyMinMs + random.fraction() * (latencyMaxMs - latencyMinMs));

  return {
    gateway: {
      async post(request) {
        const party = parties.get(request.bank);
        if (party === undefined) return { kind: "silent", reason: "ENOTFOUND" };
        await travel();
        const answer = await party.handle(request);
        await travel();
        return isLost(options) ? { kind: "silent", reason: "ECONNRESET" } : answer;
      },
      close: () => Promise.resolve(),
    },
    send(planned) {
      void sent(planned, banks.get(planned.party), connector);
    },
    busy: () => [...parties.values()].reduce((sum, party) => sum + party.busy(), 0),
    async stop() {
      await Promise.all([...parties.values()].map((party) => party.stop()));
    },
  };
}

function sent(
  { what, message }: PlannedMessage,
  bank: SimulatedBank | undefined,
  connector: SimulatedConnector,
): Promise<SendEnd> | undefined {
  if (what === "credit") return connector.sendCredit(message);
  if (what === "off-us debit") return connector.sendDebit(message);
  if (what === "credits final") return connector.declareCreditsFinal();
  return bank?.sendDebit(message);
}

function partyPorts(options: BanksOptions, partyId: string): PartyPorts {
  const { time, random, scenario, recorder } = options;
  return {
    time,
    random,
    token: sampleToken(partyId),
    expectedToken: null,
    script: scenario.scripts.get(partyId) ?? [],
    transport: transportOf(options, partyId),
    recorder,
    giveUpAfterMs: 600_000,
  };
}

/** Authentication is HTTP's and is tested there; here a party is known by its connection. */
function transportOf(options: BanksOptions, partyId: string): BankTransport {
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

function isLost(options: BanksOptions): boolean {
  return options.isTroubled() && options.random.fraction() < options.scenario.lostAnswer;
}
