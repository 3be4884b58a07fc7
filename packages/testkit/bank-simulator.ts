// Simulated banks and connectors with their real HTTP servers and clients: what demo, end-to-end tests, bench and chaos put beside Sluice.

import type { Random, Time } from "@sluice/runtime";
import { createMemoryRecorder, type BankRecorder, type MemoryRecorder } from "./bank-recorder.ts";
import type { ScriptRule } from "./bank-script.ts";
import { bankServedPaths, connectorServedPaths, startBankServer, type ServedPaths } from "./bank-server.ts";
import { createHttpTransport, type HttpTransport } from "./http-transport.ts";
import { createSimulatedBank, type SimulatedBank } from "./simulated-bank.ts";
import { createSimulatedConnector, type SimulatedConnector } from "./simulated-connector.ts";
import type { PartyPorts, SimulatedParty } from "./simulated-party.ts";

export interface PartySimulatorOptions {
  readonly time: Time;
  readonly random: Random;
  /** Bearer token that it calls with. */
  readonly token: string;
  /** Bearer token that it demands of Sluice; none by default. */
  readonly expectedToken?: string | null;
  /** Where ingress listens, `http://host:port`; paths are those of the operations. Null: set later by `callAt`, and until then no answer. */
  readonly ingressUrl: string | null;
  readonly host: string;
  readonly port: number;
  readonly script?: readonly ScriptRule[];
  /** In memory by default. */
  readonly recorder?: BankRecorder;
  readonly giveUpAfterMs?: number;
  readonly slowRepeatMs?: number;
  /** Connections to ingress. */
  readonly connections?: number;
}

export interface BankSimulatorOptions extends PartySimulatorOptions {
  readonly bankId: string;
}

export interface ConnectorSimulatorOptions extends PartySimulatorOptions {
  readonly connectorId: string;
}

/** What a simulator has beside what it simulates. */
export interface Simulator {
  /** Base address for deliveries, and for events. */
  readonly url: string;
  /** What was recorded, where no recorder was given. */
  readonly recorded: MemoryRecorder;
  /** Where ingress listens from now on. */
  callAt(ingressUrl: string): void;
  /** Refuses connections from now on; it goes on calling. */
  closeDoor(): Promise<void>;
  /** At the same address as before. */
  openDoor(): Promise<void>;
}

export type BankSimulator = SimulatedBank & Simulator;
export type ConnectorSimulator = SimulatedConnector & Simulator;

const giveUpAfterMsDefault = 900_000;
const connectionsDefault = 32;

export function startBankSimulator(options: BankSimulatorOptions): Promise<BankSimulator> {
  const { bankId } = options;
  return start(options, bankServedPaths, (ports) => createSimulatedBank({ ...ports, bankId }));
}

export function startConnectorSimulator(options: ConnectorSimulatorOptions): Promise<ConnectorSimulator> {
  const { connectorId } = options;
  return start(options, connectorServedPaths, (ports) => createSimulatedConnector({ ...ports, connectorId }));
}

async function start<Kind extends SimulatedParty>(
  options: PartySimulatorOptions,
  paths: ServedPaths,
  create: (ports: PartyPorts) => Kind,
): Promise<Kind & Simulator> {
  const recorded = createMemoryRecorder();
  const transport = createHttpTransport(options.ingressUrl, options.connections ?? connectionsDefault);
  const party = create(portsOf(options, transport, recorded));
  const { time, random, host, port } = options;
  const server = await startBankServer(party, { time, random, host, port, paths });
  return {
    ...party,
    url: server.url,
    recorded,
    callAt: (ingressUrl: string) => transport.callAt(ingressUrl),
    closeDoor: () => server.closeDoor(),
    openDoor: () => server.openDoor(),
    async stop() {
      await Promise.all([party.stop(), server.stop()]);
    },
  };
}

function portsOf(options: PartySimulatorOptions, transport: HttpTransport, recorded: MemoryRecorder): PartyPorts {
  return {
    time: options.time,
    random: options.random,
    token: options.token,
    expectedToken: options.expectedToken ?? null,
    script: options.script ?? [],
    transport,
    recorder: options.recorder ?? recorded,
    giveUpAfterMs: options.giveUpAfterMs ?? giveUpAfterMsDefault,
    ...(options.slowRepeatMs === undefined ? {} : { slowRepeatMs: options.slowRepeatMs }),
  };
}
