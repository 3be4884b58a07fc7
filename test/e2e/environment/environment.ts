// The environment of an end-to-end test: servers of its own, all services as processes, simulated banks and a connector
// on real HTTP, and access to the store and the topics.
//
// #1 Banks and the connector acknowledge everything and report nothing by themselves. The test decides what is
//    reported, and when.
// #2 No debit is released before the gate opens, and the day closes when the test closes it, so no test races against a
//    clock. The first window is open from 08:00 to 20:00 in a zone in which it is about noon.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory, type CheckOptions, type CheckReport, type HistoryEntry } from "@sluice/checker";
import {
  buildReferences,
  collectHistory,
  dateIn,
  describeProgress,
  type EnvironmentBank,
  type EnvironmentDay,
  type EnvironmentOperator,
  formatLogLine,
  loadDocuments,
  noonZone,
  openParties,
  provision,
  readOnceQuiet,
  readUetrs,
  renderConfiguration,
  type SecuredBrokers,
  serviceEnvironment,
  serviceNames,
  timeIn,
} from "@sluice/environment";
import { createRegistrySerde, type Serde } from "@sluice/contracts";
import { type ServerAddresses, startServers } from "@sluice/local-servers";
import type { ServerKind } from "@sluice/local-servers/server-kind";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore, type Store } from "@sluice/store";
import { type BankSimulator, type ConnectorSimulator, createMemoryRecorder, type MemoryRecorder } from "@sluice/testkit";
import { environmentWithoutServers } from "../servers.fixture.ts";
import { type ServiceProcesses, startServiceProcesses } from "./service-processes.ts";

export interface E2eEnvironment extends AsyncDisposable {
  readonly businessDate: string;
  readonly connector: ConnectorSimulator;
  readonly recorded: MemoryRecorder;
  readonly services: ServiceProcesses;
  readonly store: Store;
  /** The address of the store, and the name of the database in it. */
  readonly storeUrl: string;
  readonly database: string;
  readonly messaging: Messaging;
  readonly serde: Serde;
  bank(id: string): BankSimulator;
  /** Returns the token that a bank or the connector sends. */
  tokenOf(id: string): string;
  /** Replaces the tokens of a party in the configuration file, without a restart. */
  replaceTokens(id: string, tokens: readonly string[]): Promise<void>;
  /** Returns an operator with its token. */
  operator(id: string): EnvironmentOperator;
  /** Formats a time as local time of the day's zone, in whole seconds. */
  localTime(atMs: number): string;
  /** Writes another version of the configured day. Services that need it must be restarted. */
  plan(change: Partial<EnvironmentDay>): Promise<void>;
  /** Moves the close of the day and its reconciliation to a few seconds from now. */
  closeDay(): Promise<void>;
  /** Collects the whole history for the checker. */
  history(): Promise<readonly HistoryEntry[]>;
  /** Runs the checker over the history. */
  check(options?: CheckOptions): Promise<CheckReport>;
}

export interface E2eEnvironmentOptions {
  /** The windows after the first one, in local times. */
  readonly furtherWindows?: EnvironmentDay["windows"];
  readonly operators?: readonly Pick<EnvironmentOperator, "id" | "roles">[];
  /** The variables to which members of the banks refer, in addition to the tokens. */
  readonly references?: Readonly<Record<string, string>>;
  /** What needs a second person besides resolutions. */
  readonly secondPerson?: readonly string[];
  /** Gives each program its own addresses of the servers, by its name; without it all reach them directly. */
  readonly reach?: (servers: ServerAddresses) => (program: string) => Promise<Readonly<Record<string, string>>>;
  /** Brokers that are there; without them one broker is started, without TLS and logins. */
  readonly brokers?: SecuredBrokers;
  /** The store to start for a database, and who may do everything in it; without it the store asks for no login. */
  readonly guardStore?: (database: string) => { readonly server: ServerKind; readonly user: string; readonly password: string };
}

export { clearingConnectorId } from "@sluice/environment";
export type { EnvironmentBank } from "@sluice/environment";

const closesInMs = 2_000;

export async function openE2eEnvironment(
  banksInDay: readonly EnvironmentBank[],
  creditsFinal: EnvironmentDay["creditsFinal"],
  options: E2eEnvironmentOptions = {},
): Promise<E2eEnvironment> {
  const { furtherWindows = [], operators: operatorsInDay = [], references: others = {}, secondPerson = [], brokers, reach } = options;
  const database = `sluice_e2e_${machineTime.nowMs()}`;
  const guarded = options.guardStore?.(database);
  await using opened = new AsyncDisposableStack();
  const given: NodeJS.ProcessEnv = { ...environmentWithoutServers(), ...brokers?.variables };
  const servers = await startServers({
    storage: "memory",
    purpose: "e2e",
    environment: given,
    ...(guarded === undefined ? {} : { secured: [guarded.server] }),
  });
  opened.defer(() => servers.stop());
  const direct = (): Promise<Readonly<Record<string, string>>> => Promise.resolve({});
  const reachedBy = reach?.(servers) ?? direct;
  const provisioning = await reachedBy("provision");
  const { MONGO_URL: mongoUrl = servers.mongoUrl, SCHEMA_REGISTRY_URL: schemaRegistryUrl = servers.schemaRegistryUrl } = provisioning;
  const environment = { ...given, ...provisioning };
  await provision({ ...servers, mongoUrl, schemaRegistryUrl }, database, { environment, ...brokers?.provisioning });
  const connection = brokers?.connection ?? { brokers: servers.kafkaBrokers.split(","), clientId: "e2e" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: servers.schemaRegistryUrl, time: machineTime });
  const login = guarded === undefined ? "" : `${guarded.user}:${guarded.password}@`;
  const storeUrl = servers.mongoUrl.replace("//", `//${login}`);
  const store = createMongoStore({ url: storeUrl, database, logger: silentLogger });
  opened.defer(() => store.close());

  const recorded = createMemoryRecorder();
  const parties = await openParties(banksInDay, { recorder: recorded, script: [{ reports: [] }] }, opened);
  const { banks, connector, simulators } = parties;
  const zone = noonZone(machineTime.nowMs());
  const operators = operatorsInDay.map((one) => ({ ...one, token: machineRandom.hex(24) }));
  const windows = [{ opens: "08:00", closes: "20:00" }, ...furtherWindows];
  let day: EnvironmentDay = { zone, creditsFinal, version: 1, windows, reconciliation: "21:00" };
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (): Promise<void> =>
    writeFile(configurationFile, renderConfiguration(day, banks(), connector.access, operators, secondPerson));
  await configure();
  const references = { ...buildReferences([...banks(), connector.access]), ...others };
  const variables = serviceEnvironment({ servers, configurationFile, database, references });
  // Topics of three brokers are safe, so a warning about them would be wrong.
  const reached = brokers === undefined ? {} : { ...brokers.variables, KAFKA_FEW_REPLICAS: "said" };
  const own = new Map(await Promise.all(serviceNames.map(async (name) => [name, await reachedBy(name)] as const)));
  const services = await startServiceProcesses({ ...variables, ...reached }, servers.directory, (name) => ({
    ...brokers?.variablesOf(name),
    ...own.get(name),
  }));
  opened.defer(() => services.stop());
  parties.callAt(services.ingressUrl);
  const plan = (change: Partial<EnvironmentDay>): Promise<void> => {
    day = { ...day, ...change, version: day.version + 1 };
    return configure();
  };
  const readHistory = async (): Promise<readonly HistoryEntry[]> => {
    const documents = await loadDocuments(store.transactions, await readUetrs(messaging));
    return [...(await collectHistory({ messaging, serde, requests: recorded.requests, documents })), ...(await readRenewals(services))];
  };
  const progress = (): Promise<string> => describeProgress({ messaging, requests: recorded.requests });
  const history = (): Promise<readonly HistoryEntry[]> => readOnceQuiet(machineTime, progress, readHistory);
  const owned = opened.move();
  return {
    businessDate: dateIn(zone, machineTime.nowMs()),
    connector: connector.simulator,
    recorded,
    services,
    store,
    storeUrl,
    database,
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
    check: async (options) => checkHistory(await history(), options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Reads the renewals of credentials from the logs of the services that call banks. */
async function readRenewals(services: ServiceProcesses): Promise<readonly HistoryEntry[]> {
  const logs = await Promise.all((["dispatcher", "event-publisher"] as const).map((name) => services.readLog(name)));
  const reads = logs.flatMap((log) => log.split("\n").map(formatLogLine)).filter(({ event }) => event === "credentials.read");
  return reads.map(({ atMs, fields }) => ({ kind: "renewed", atMs, bank: String(fields["receiver"]) }));
}

function missing(id: string): never {
  throw new Error(`there is no party ${id} in this environment`);
}
