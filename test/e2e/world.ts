// A world to test the whole interface in: servers of its own, all services as processes, simulated banks and a connector on real HTTP, and
// eyes on the store and the log.
//
// #1 Banks and the connector acknowledge everything and report nothing by themselves: a test says what is reported, and when.
// #2 Nothing is released before the gate opens, and the day closes when the test says so: no test races against a clock. Its first window is open
//    from 08:00 to 20:00 of a zone in which it is about noon.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "@sluice/checker";
import type { CheckReport, HistoryEntry } from "@sluice/checker";
import { provision, serviceEnvironment, showLine } from "@sluice/cli";
import { collectHistory, dateIn, loadDocuments, noonZone, timeIn } from "@sluice/cli/demo";
import { openParties, referencesOf, uetrsOf, worldConfiguration } from "@sluice/cli/world";
import type { DayInWorld, OperatorInWorld, WorldBank } from "@sluice/cli/world";
import { registrySerde } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import { machineRandom, machineTime } from "@sluice/runtime";
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
  /** Of an operator. */
  operator(id: string): OperatorInWorld;
  /** Local time of the day's zone, in whole seconds. */
  localTime(atMs: number): string;
  /** Another version of the configured day; whoever is to know it must be restarted. */
  plan(change: Partial<DayInWorld>): Promise<void>;
  /** Brings the close of the day and its reconciliation to a few seconds from now. */
  closeDay(): Promise<void>;
  /** Everything that happened, for the checker. */
  history(): Promise<readonly HistoryEntry[]>;
  /** The checker over it. */
  check(): Promise<CheckReport>;
}

export interface WorldOptions {
  /** After the first window, local times. */
  readonly furtherWindows?: DayInWorld["windows"];
  readonly operators?: readonly Pick<OperatorInWorld, "id" | "roles">[];
  /** What members of the banks refer to, beside the tokens. */
  readonly references?: Readonly<Record<string, string>>;
}

export { connectorId } from "@sluice/cli/world";
export type { WorldBank } from "@sluice/cli/world";

const closesInMs = 2_000;

export async function openWorld(
  given: readonly WorldBank[],
  creditsFinal: DayInWorld["creditsFinal"],
  { furtherWindows = [], operators: people = [], references: others = {} }: WorldOptions = {},
): Promise<World> {
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
  const operators = people.map((one) => ({ ...one, token: machineRandom.hex(24) }));
  const windows = [{ opens: "08:00", closes: "20:00" }, ...furtherWindows];
  let day: DayInWorld = { zone, creditsFinal, version: 1, windows, reconciliation: "21:00" };
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (): Promise<void> => writeFile(configurationFile, worldConfiguration(day, banks(), connector.access, operators));
  await configure();
  const references = { ...referencesOf([...banks(), connector.access]), ...others };
  const services = await startWorldServices(serviceEnvironment({ servers, configurationFile, database, references }), servers.directory);
  opened.defer(() => services.stop());
  parties.callAt(services.ingressUrl);
  const plan = (change: Partial<DayInWorld>): Promise<void> => {
    day = { ...day, ...change, version: day.version + 1 };
    return configure();
  };
  const history = async (): Promise<readonly HistoryEntry[]> => {
    const documents = await loadDocuments(store.transactions, await uetrsOf(messaging));
    return [...(await collectHistory({ messaging, serde, requests: recorded.requests, documents })), ...(await renewalsOf(services))];
  };
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
    operator: (id) => operators.find((one) => one.id === id) ?? missing(id),
    localTime: (atMs) => timeIn(zone, atMs),
    plan,
    async closeDay() {
      const closesAtMs = Math.ceil((machineTime.nowMs() + closesInMs) / 1_000) * 1_000;
      const local = (atMs: number): string => timeIn(zone, atMs);
      await plan({ windows: [{ opens: "08:00", closes: local(closesAtMs) }], reconciliation: local(closesAtMs + 1_000) });
      await services.restart("scheduler");
    },
    history,
    check: async () => checkHistory(await history()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** As the services that call banks have logged them. */
async function renewalsOf(services: WorldServices): Promise<readonly HistoryEntry[]> {
  const logs = await Promise.all((["dispatcher", "event-publisher"] as const).map((name) => services.readLog(name)));
  const read = logs.flatMap((log) => log.split("\n").map(showLine)).filter(({ event }) => event === "credentials.read");
  return read.map(({ atMs, fields }) => ({ kind: "renewed", atMs, bank: String(fields["bank"]) }));
}

function missing(id: string): never {
  throw new Error(`nobody is named ${id} in this world`);
}
