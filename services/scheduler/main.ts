import { readConfigurationFile } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { startScheduler } from "./service.ts";

runProcess("scheduler", ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "SLUICE_DATABASE", "SLUICE_CONFIG"], async (context) => {
  const { environment, logger, metrics, time, random, stopping } = context;
  const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
  const store = createMongoStore({ url: environment.MONGO_URL, database: environment.SLUICE_DATABASE, logger });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({
    connection: { brokers: environment.KAFKA_BROKERS, clientId: "scheduler" },
    time,
    logger,
    metrics,
  });
  opened.defer(() => messaging.close());
  const scheduler = await startScheduler({
    time,
    random,
    logger,
    metrics,
    messaging,
    store,
    serde,
    configuration,
    partitionCount: partitionCountDefault,
    fail: (reason) => context.fail(reason),
  });
  opened.defer(() => scheduler.stop());
  const running = opened.move();
  return { readiness: () => scheduler.readiness(), stop: () => running.disposeAsync() };
});
