import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { readSchedulerConfig } from "./config.ts";
import { startScheduler } from "./service.ts";

runService("scheduler", async (context) => {
  const { logger, metrics, time, random, stopping } = context;
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration } = readSchedulerConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, logger });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "scheduler" }, time, logger, metrics });
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
