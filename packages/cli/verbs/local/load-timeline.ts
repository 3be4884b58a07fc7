// Loads the timeline of one transaction from the journal and the store of what is up.

import { createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { kafkaConnection, kafkaVariables, registryConnection, registryVariables } from "@sluice/process";
import { readTimeline, type Timeline } from "@sluice/timeline";
import { openUpStore, readUpEnvironment } from "./up-connections.ts";
import type { UpState } from "./up-state.ts";

/** Null: nothing is known of the transaction. */
export async function loadTimeline(uetr: string, up: UpState): Promise<Timeline | null> {
  await using opened = new AsyncDisposableStack();
  const environment = readUpEnvironment(up, [...kafkaVariables, ...registryVariables]);
  const options = { time: machineTime, logger: silentLogger, opened };
  const store = await openUpStore(up, opened);
  const connection = await kafkaConnection("sluice-tx", environment, options);
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ ...(await registryConnection(environment, options)), time: machineTime });
  return await readTimeline(uetr, { store, messaging, serde, partitionCount: up.partitionCount });
}
