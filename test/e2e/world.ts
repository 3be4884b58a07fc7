// A world to test the whole interface in: servers of its own, all services as processes, simulated banks and a connector on real HTTP, and
// eyes on the store and the log.
//
// #1 Banks and the connector acknowledge everything and report nothing by themselves: a test says what is reported, and when.
// #2 Nothing is released before the gate opens, and the day closes when the test says so: no test races against a clock. It is open from 08:00
//    to 20:00 of a zone in which it is about noon.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "@sluice/checker";
import type { CheckReport } from "@sluice/checker";
import { provision, serviceEnvironment } from "@sluice/cli";
import { collectHistory, dateIn, loadDocuments, noonZone, timeIn } from "@sluice/cli/demo";
import { openParties, referencesOf, uetrsOf, worldConfiguration } from "@sluice/cli/world";
import type { DayInWorld, WorldBank } from "@sluice/cli/world";
import { registrySerde } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import { machineTime } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import type { Store } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { createMemoryRecorder } from "@sluice/testkit";
import type { BankSimulator, ConnectorSimulator, MemoryRecorder } from "@sluice/testkit";
import { environmentWithoutServers } from "./given.ts";
import { startWorldServices } from "./world-services.ts";
import type { WorldServices } from "./world-services.ts";

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

export { connectorId } from "@sluice/cli/world";
export type { WorldBank } from "@sluice/cli/world";

const closesInMs = 2_000;

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

  const recorded = createMemoryRecorder();
  const parties = await openParties(given, { recorder: recorded, script: [{ reports: [] }] }, opened);
  const { banks, connector, simulators } = parties;
  const zone = noonZone(machineTime.nowMs());
  let day: DayInWorld = { zone, creditsFinal, version: 1, windows: [{ opens: "08:00", closes: "20:00" }], reconciliation: "21:00" };
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (): Promise<void> => writeFile(configurationFile, worldConfiguration(day, banks(), connector.access));
  await configure();
  const references = referencesOf([...banks(), connector.access]);
  const services = await startWorldServices(serviceEnvironment({ servers, configurationFile, database, references }), servers.directory);
  opened.defer(() => services.stop());
  parties.callAt(services.ingressUrl);
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
      const windows = [{ opens: "08:00", closes: local(closesAtMs) }];
      day = { ...day, version: day.version + 1, windows, reconciliation: local(closesAtMs + 1_000) };
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

function missing(id: string): never {
  throw new Error(`no bank ${id} in this world`);
}
