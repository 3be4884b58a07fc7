// What a trial of deliveries is played on: servers, the banks, and dispatcher and event-publisher as processes. The trial itself takes the place of
// the scheduler. The store is a local one in memory unless MONGO_URL names another; broker and registry are always the trial's own.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registrySerde } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging, Producer } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { dateIn, noonZone } from "../demo/noon-zone.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { referencesOf, worldConfiguration } from "../world/configuration.ts";
import type { BankInWorld, PartyAccess } from "../world/configuration.ts";
import type { DeliveryService, PlannedBank } from "./delivery-plan.ts";
import { deliveryServices, keepDeliveryServices } from "./delivery-services.ts";
import type { DeliveryServices } from "./delivery-services.ts";

export interface DeliveryGround {
  readonly messaging: Messaging;
  readonly producer: Producer;
  readonly serde: Serde;
  readonly services: DeliveryServices;
  readonly businessDate: string;
  readonly storeText: string;
  /** Of logs and the configuration; gone at the end. */
  readonly directory: string;
}

export interface DeliveryGroundOptions {
  readonly banks: readonly PlannedBank[];
  readonly urls: ReadonlyMap<string, string>;
  readonly time: Time;
  readonly environment: NodeJS.ProcessEnv;
  /** Not given: both. */
  readonly services?: readonly DeliveryService[];
  /** Puts something between the services and their store: answers the address that they are given. */
  readonly between?: (storeUrl: string) => Promise<string>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Nobody listens there, and nothing goes there. */
const connector: PartyAccess = { id: "clearing", url: "http://127.0.0.1:9", tokens: ["trial"], sluiceToken: "trial" };
const members = { answerTimeout: "2s", allowedAddresses: ["127.0.0.0/8"] } as const;
const day = { creditsFinal: "clock", version: 1, windows: [{ opens: "08:00", closes: "21:00" }], reconciliation: "22:00" } as const;

/** What is opened is closed by `opened`. */
export async function openDeliveryGround(options: DeliveryGroundOptions, opened: AsyncDisposableStack): Promise<DeliveryGround> {
  const { banks, urls, time, say, signal, services: names = deliveryServices } = options;
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "trial", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_trial_${time.nowMs()}`;
  await provision(servers, database);
  const messaging = createKafkaMessaging({
    connection: { brokers: servers.kafkaBrokers.split(","), clientId: "trial" },
    time,
    log: silentLog,
  });
  opened.defer(() => messaging.close());
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const producer = await messaging.producer("trial-feed");
  opened.defer(() => producer.close());
  const inWorld = banks.map(({ id, branch }): BankInWorld => {
    const access = { id, url: urls.get(id) ?? "", tokens: [`token of ${id}`], sluiceToken: `trial-${id}` };
    return { ...access, branch, members };
  });
  const zone = noonZone(time.nowMs());
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, worldConfiguration({ zone, ...day }, inWorld, connector));
  const mongoUrl = (await options.between?.(servers.mongoUrl)) ?? servers.mongoUrl;
  const references = referencesOf([...inWorld, connector]);
  const services = keepDeliveryServices({
    environment: serviceEnvironment({ servers: { ...servers, mongoUrl }, configurationFile, database, references }),
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
