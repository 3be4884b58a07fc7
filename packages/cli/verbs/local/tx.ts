// `./sluice tx`: everything that happened to one transaction, from what is up.

import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { Fault, machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore } from "@sluice/store";
import { formatTimeline, readTimeline, type Timeline } from "@sluice/timeline";
import { requireUpState, type UpState } from "./up-state.ts";
import type { RunVerb } from "../../terminal/verb.ts";

export const tx: RunVerb = async (call) => {
  const [given = ""] = call.positionals;
  const uetr = given.toLowerCase();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uetr)) {
    throw new Fault("cli.no-uetr", `${given} is no UETR (8-4-4-4-12 hex digits)`, { isRetryable: false });
  }
  const timeline = await loadTimeline(uetr, await requireUpState());
  if (timeline === null) throw new Fault("cli.unknown-uetr", `nothing is known of ${uetr}`, { isRetryable: false });
  process.stdout.write(`${call.flag("json") ? JSON.stringify(timeline, null, 2) : formatTimeline(timeline)}\n`);
  return 0;
};

async function loadTimeline(uetr: string, up: UpState): Promise<Timeline | null> {
  await using opened = new AsyncDisposableStack();
  const store = createMongoStore({ url: up.mongoUrl, database: up.database, logger: silentLogger });
  opened.defer(() => store.close());
  const connection = { brokers: up.kafkaBrokers.split(","), clientId: "sluice-tx" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: up.schemaRegistryUrl, time: machineTime });
  return await readTimeline(uetr, { store, messaging, serde, partitionCount: partitionCountDefault });
}
