// The network between banks and Sluice, both ways: latency, and answers that get lost after the other side has acted.

import type { BankGateway } from "@sluice/delivery";
import type { Ingress } from "@sluice/ingress";
import type { Random } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import { createSimulatedBank, sampleToken } from "@sluice/testkit";
import type { BankRecorder, BankTransport, SimulatedBank, TransportAnswer, VirtualTime } from "@sluice/testkit";
import type { PlannedDebit, Scenario } from "./scenario.ts";
import { bankIds } from "./scenario.ts";
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
  send(planned: PlannedDebit): void;
  /** Requests of banks that are under way or planned. */
  busy(): number;
  stop(): Promise<void>;
}

const latencyMinMs = 0.5;
const latencyMaxMs = 20;

export function startBanks(options: BanksOptions): Banks {
  const { time, random } = options;
  const banks = new Map<string, SimulatedBank>(bankIds.map((bankId) => [bankId, bankOf(options, bankId)]));
  const travel = (): Promise<void> => sleep(time, latencyMinMs + random.fraction() * (latencyMaxMs - latencyMinMs));

  return {
    gateway: {
      async post(request) {
        const bank = banks.get(request.bank);
        if (bank === undefined) return { kind: "silent", reason: "ENOTFOUND" };
        await travel();
        const answer = await bank.handle(request);
        await travel();
        return isLost(options) ? { kind: "silent", reason: "ECONNRESET" } : answer;
      },
      close: () => Promise.resolve(),
    },
    send(planned) {
      void banks.get(planned.bank)?.sendDebit(planned.message);
    },
    busy: () => [...banks.values()].reduce((sum, bank) => sum + bank.busy(), 0),
    async stop() {
      await Promise.all([...banks.values()].map((bank) => bank.stop()));
    },
  };
}

function bankOf(options: BanksOptions, bankId: string): SimulatedBank {
  const { time, random, scenario, recorder } = options;
  const script = scenario.scripts.get(bankId) ?? [];
  const transport = transportOf(options, bankId);
  return createSimulatedBank({
    time,
    random,
    bankId,
    token: sampleToken(bankId),
    expectedToken: null,
    script,
    transport,
    recorder,
    giveUpAfterMs: 600_000,
  });
}

/** Authentication is HTTP's and is tested there; here the bank is known by its connection. */
function transportOf(options: BanksOptions, bankId: string): BankTransport {
  const { time, random } = options;
  return {
    async post(request): Promise<TransportAnswer | null> {
      await sleep(time, latencyMinMs + random.fraction() * latencyMaxMs);
      const up = options.ingress();
      const chosen = up[Math.floor(random.fraction() * up.length)];
      if (chosen === undefined) return null;
      const ingress = chosen.process.through("ingress", chosen.running);
      const answer = await ingress.accept({ operation: request.operation, caller: bankId, body: request.body });
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
