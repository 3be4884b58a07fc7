// Runs simulated banks and connectors with real HTTP servers and clients, for the demo, the end-to-end tests, benches
// and trials.

import type { Random, Time } from "@sluice/kernel";
import { createMemoryRecorder, type PartyRecorder, type MemoryRecorder } from "./recorder.ts";
import type { ScriptRule } from "./script.ts";
import { bankServedPaths, connectorServedPaths, startPartyServer, type ServedPaths } from "./server.ts";
import { createHttpTransport, type HttpTransport } from "./http-transport.ts";
import { createSimulatedBank, type SimulatedBank } from "./simulated-bank.ts";
import { createSimulatedConnector, type SimulatedConnector } from "./simulated-connector.ts";
import type { PartyPorts, SimulatedParty } from "./simulated-party.ts";

export interface PartySimulatorOptions {
  readonly time: Time;
  readonly random: Random;
  /** The bearer token that it sends. */
  readonly token: string;
  /** The bearer token that it requires from Sluice; none by default. */
  readonly expectedToken?: string | null;
  /** The origin of ingress, `http://host:port`. With null, calls get no answer until `setIngressUrl` sets it. */
  readonly ingressUrl: string | null;
  readonly host: string;
  readonly port: number;
  readonly script?: readonly ScriptRule[];
  /** A recorder in memory by default. */
  readonly recorder?: PartyRecorder;
  readonly giveUpAfterMs?: number;
  readonly slowRepeatMs?: number;
  /** The number of connections to ingress. */
  readonly connections?: number;
}

export interface BankSimulatorOptions extends PartySimulatorOptions {
  readonly bankId: string;
}

export interface ConnectorSimulatorOptions extends PartySimulatorOptions {
  readonly connectorId: string;
}

/** The controls that a simulator adds to its party. */
export interface PartySimulator {
  /** The base address for deliveries and for events. */
  readonly url: string;
  /** The recorded requests, if the options have no recorder of their own. */
  readonly recorded: MemoryRecorder;
  /** Sets the origin of ingress for all further calls. */
  setIngressUrl(ingressUrl: string): void;
  /** Refuses connections from now on, but still sends. */
  stopAccepting(): Promise<void>;
  /** Accepts connections again, at the same address. */
  startAccepting(): Promise<void>;
}

export type BankSimulator = SimulatedBank & PartySimulator;
export type ConnectorSimulator = SimulatedConnector & PartySimulator;

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
): Promise<Kind & PartySimulator> {
  const recorded = createMemoryRecorder();
  const transport = createHttpTransport(options.ingressUrl, options.connections ?? connectionsDefault);
  const party = create(partyPorts(options, transport, recorded));
  const { time, random, host, port } = options;
  const server = await startPartyServer(party, { time, random, host, port, paths });
  return {
    ...party,
    url: server.url,
    recorded,
    setIngressUrl: (ingressUrl: string) => transport.setIngressUrl(ingressUrl),
    stopAccepting: () => server.stopAccepting(),
    startAccepting: () => server.startAccepting(),
    async stop() {
      await Promise.all([party.stop(), server.stop()]);
    },
  };
}

function partyPorts(options: PartySimulatorOptions, transport: HttpTransport, recorded: MemoryRecorder): PartyPorts {
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
