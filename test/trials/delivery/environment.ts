// Opens the environment of a delivery trial: servers, configuration, and dispatcher and event-publisher as processes.
// The trial itself takes the place of the scheduler. The store is a local one in memory unless MONGO_URL names another;
// broker and registry are always the trial's own.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRegistrySerde, type Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging, type Producer } from "@sluice/messaging";
import { silentLogger, type Time } from "@sluice/kernel";
import {
  buildReferences,
  dateIn,
  type EnvironmentBankAccess,
  noonZone,
  type PartyAccess,
  provision,
  renderConfiguration,
  serviceEnvironment,
} from "@sluice/environment";
import type { DeliveryService, PlannedBank } from "./plan.ts";
import { createDeliveryServices, deliveryServices, type DeliveryServices } from "./services.ts";

export interface DeliveryEnvironment {
  readonly messaging: Messaging;
  readonly producer: Producer;
  readonly serde: Serde;
  readonly services: DeliveryServices;
  readonly businessDate: string;
  readonly storeText: string;
  /** Folder of logs and configuration; it is removed at the end. */
  readonly directory: string;
}

export interface DeliveryEnvironmentOptions {
  readonly banks: readonly PlannedBank[];
  readonly urls: ReadonlyMap<string, string>;
  readonly time: Time;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the services ask for names; by default where the machine does. */
  readonly nameServer?: string;
  /** Services to start; both by default. */
  readonly services?: readonly DeliveryService[];
  /** Puts a proxy between the services and their store, and returns the address for the services. */
  readonly interceptStore?: (storeUrl: string) => Promise<string>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The configuration needs a connector. Nobody listens at this address, and nothing is sent to it. */
const connector: PartyAccess = { id: "clearing", url: "http://127.0.0.1:9", tokens: ["trial"], sluiceToken: "trial" };
const members = { answerTimeout: "2s", allowedAddresses: ["127.0.0.0/8"] } as const;
const day = { creditsFinal: "clock", version: 1, windows: [{ opens: "08:00", closes: "21:00" }], reconciliation: "22:00" } as const;

/** Opens everything; `opened` closes it. */
export async function openDeliveryEnvironment(
  options: DeliveryEnvironmentOptions,
  opened: AsyncDisposableStack,
): Promise<DeliveryEnvironment> {
  const { banks, urls, time, say, signal, services: names = deliveryServices } = options;
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "trial", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_trial_${time.nowMs()}`;
  await provision(servers, database);
  const messaging = createKafkaMessaging({
    connection: { brokers: servers.kafkaBrokers.split(","), clientId: "trial" },
    time,
    logger: silentLogger,
  });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const producer = await messaging.producer("trial-feed");
  opened.defer(() => producer.close());
  const configuredBanks = banks.map(({ id, branch }): EnvironmentBankAccess => {
    const access = { id, url: urls.get(id) ?? "", tokens: [`token of ${id}`], sluiceToken: `trial-${id}` };
    return { ...access, branch, members };
  });
  const zone = noonZone(time.nowMs());
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, renderConfiguration({ zone, ...day }, configuredBanks, connector));
  const mongoUrl = (await options.interceptStore?.(servers.mongoUrl)) ?? servers.mongoUrl;
  const references = buildReferences([...configuredBanks, connector]);
  const services = createDeliveryServices({
    environment: {
      ...serviceEnvironment({ servers: { ...servers, mongoUrl }, configurationFile, database, references }),
      ...(options.nameServer === undefined ? {} : { SLUICE_NAME_SERVERS: options.nameServer }),
    },
    directory: servers.directory,
    time,
    signal,
  });
  opened.defer(() => services.stop());
  await Promise.all(names.map((service) => services.start(service)));
  await Promise.all(names.map(async (service) => await services.process(service)?.ready()));
  return {
    messaging,
    producer,
    serde,
    services,
    directory: servers.directory,
    businessDate: dateIn(zone, time.nowMs()),
    storeText: (environment["MONGO_URL"] ?? "") === "" ? "the local store, in memory" : "the store given",
  };
}
