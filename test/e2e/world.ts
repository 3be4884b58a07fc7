// A world to test the whole interface in: servers of its own, all services as processes, simulated banks and a connector on real HTTP, and
// eyes on the store and the log.
//
// #1 Banks and the connector acknowledge everything and report nothing by themselves: a test says what is reported, and when.
// #2 Nothing is released before the gate opens, and the day closes when the test says so: no test races against a clock.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "@sluice/checker";
import type { CheckReport } from "@sluice/checker";
import { provision, serviceEnvironment } from "@sluice/cli";
import { collectHistory, dateIn, loadDocuments, noonZone, timeIn } from "@sluice/cli/demo";
import { lanesDefault, registrySerde, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import { machineRandom, machineTime } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import type { Store } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { createMemoryRecorder, startBankSimulator, startConnectorSimulator } from "@sluice/testkit";
import type { BankSimulator, ConnectorSimulator, MemoryRecorder } from "@sluice/testkit";
import { environmentWithoutServers } from "./given.ts";
import { referencesOf, worldConfiguration } from "./world-configuration.ts";
import type { BankInWorld, DayInWorld, PartyAccess } from "./world-configuration.ts";
import { startWorldServices } from "./world-services.ts";
import type { WorldServices } from "./world-services.ts";

export interface WorldBank {
  readonly id: string;
  readonly branch: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface World extends AsyncDisposable {
  readonly businessDate: string;
  readonly connector: ConnectorSimulator;
  readonly recorded: MemoryRecorder;
  readonly services: WorldServices;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly serde: Serde;
  bank(id: string): BankSimulator;
  /** The token that a bank or the connector calls with. */
  tokenOf(id: string): string;
  /** In the configuration file; nothing is restarted. */
  replaceTokens(id: string, tokens: readonly string[]): Promise<void>;
  /** Brings the close of the day and its reconciliation to a few seconds from now. */
  closeDay(): Promise<void>;
  /** The checker over everything that happened. */
  check(): Promise<CheckReport>;
}

const host = "127.0.0.1";
export const connectorId = "clearing";
const closesInMs = 2_000;
const uetrPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function openWorld(given: readonly WorldBank[], creditsFinal: DayInWorld["creditsFinal"]): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const servers = await startServers({ storage: "memory", purpose: "e2e", environment: environmentWithoutServers() });
  opened.defer(() => servers.stop());
  const database = `sluice_e2e_${machineTime.nowMs()}`;
  await provision(servers, database);
  const messaging = createKafkaMessaging({
    connection: { brokers: servers.kafkaBrokers.split(","), clientId: "e2e" },
    time: machineTime,
    log: silentLog,
  });
  opened.defer(() => messaging.close());
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time: machineTime });
  const store = createMongoStore({ url: servers.mongoUrl, database, log: silentLog });
  opened.defer(() => store.close());

  const parties = await openParties(given, opened);
  const { banks, connector, recorded, simulators } = parties;
  const zone = noonZone(machineTime.nowMs());
  let day: DayInWorld = { zone, creditsFinal, version: 1, closes: "20:00", reconciliation: "21:00" };
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (): Promise<void> => writeFile(configurationFile, worldConfiguration(day, banks(), connector.access));
  await configure();
  const references = referencesOf([...banks(), connector.access]);
  const services = await startWorldServices(serviceEnvironment({ servers, configurationFile, database, references }), servers.directory);
  opened.defer(() => services.stop());
  for (const party of [...simulators.values(), connector.simulator]) party.callAt(services.ingressUrl);
  const owned = opened.move();
  return {
    businessDate: dateIn(zone, machineTime.nowMs()),
    connector: connector.simulator,
    recorded,
    services,
    store,
    messaging,
    serde,
    bank: (id) => simulators.get(id) ?? missing(id),
    tokenOf: (id) => [...banks(), connector.access].find((party) => party.id === id)?.tokens[0] ?? missing(id),
    replaceTokens: (id, tokens) => {
      parties.replaceTokens(id, tokens);
      return configure();
    },
    async closeDay() {
      const closesAtMs = Math.ceil((machineTime.nowMs() + closesInMs) / 1_000) * 1_000;
      const local = (atMs: number): string => timeIn(zone, atMs);
      day = { ...day, version: day.version + 1, closes: local(closesAtMs), reconciliation: local(closesAtMs + 1_000) };
      await configure();
      await services.restart("scheduler");
    },
    async check() {
      const uetrs = await uetrsOf(messaging);
      const documents = await loadDocuments(store.transactions, uetrs);
      return checkHistory(await collectHistory({ messaging, serde, requests: recorded.requests, documents }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openParties(given: readonly WorldBank[], opened: AsyncDisposableStack) {
  const recorded = createMemoryRecorder();
  const simulators = new Map<string, BankSimulator>();
  const machine = { time: machineTime, random: machineRandom, host, port: 0, ingressUrl: null, slowRepeatMs: 1_000, recorder: recorded };
  let banks: readonly BankInWorld[] = [];
  for (const { id, branch, members = {} } of given) {
    const [token, sluiceToken] = [machineRandom.hex(24), machineRandom.hex(24)];
    const script = [{ reports: [] }];
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
    recorded,
    simulators,
    banks: () => banks,
    connector: { simulator, access },
    replaceTokens(id: string, tokens: readonly string[]) {
      banks = banks.map((bank) => (bank.id === id ? { ...bank, tokens } : bank));
    },
  };
}

/** Of everything that was ever received. */
async function uetrsOf(messaging: Messaging): Promise<readonly string[]> {
  const partitions = Array.from({ length: lanesDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const found = new Set<string>();
  for (const [index, { logEnd }] of (await messaging.ends(partitions)).entries()) {
    const partition = partitions[index];
    if (partition === undefined || logEnd === 0n) continue;
    for await (const record of messaging.read(partition, 0n, logEnd)) found.add(new TextDecoder().decode(record.key ?? new Uint8Array()));
  }
  return [...found].filter((key) => uetrPattern.test(key)).toSorted();
}

function missing(id: string): never {
  throw new Error(`no bank ${id} in this world`);
}
