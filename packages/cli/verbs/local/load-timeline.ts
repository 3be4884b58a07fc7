// Loads the timeline of one transaction from the journal and the store of what is up.

import { createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore } from "@sluice/store";
import { readTimeline, type Timeline } from "@sluice/timeline";
import type { UpState } from "./up-state.ts";

/** Null: nothing is known of the transaction. */
export async function loadTimeline(uetr: string, up: UpState): Promise<Timeline | null> {
  await using opened = new AsyncDisposableStack();
  const store = createMongoStore({ url: up.mongoUrl, database: up.database, logger: silentLogger });
  opened.defer(() => store.close());
  const connection = { brokers: up.kafkaBrokers.split(","), clientId: "sluice-tx" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: up.schemaRegistryUrl, time: machineTime });
  return await readTimeline(uetr, { store, messaging, serde, partitionCount: up.partitionCount });
}
