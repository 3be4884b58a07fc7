import { listParties } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { readDispatcherConfig } from "./config.ts";
import { startDispatcher } from "./service.ts";

runService("dispatcher", async (context) => {
  const { logger, metrics, time, random, stopping } = context;
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration } = readDispatcherConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, logger });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({
    connection: { brokers: kafkaBrokers, clientId: "dispatcher" },
    busyLingerMaxMs: 20,
    time,
    logger,
    metrics,
  });
  opened.defer(() => messaging.close());
  const gateway = createUndiciGateway(listParties(configuration), { time, logger, metrics });
  opened.defer(() => gateway.close());
  const dispatcher = await startDispatcher({
    time,
    random,
    logger,
    metrics,
    messaging,
    store,
    serde,
    configuration,
    gateway,
    partitionCount: partitionCountDefault,
    fail: (reason) => context.fail(reason),
  });
  opened.defer(() => dispatcher.stop());
  const running = opened.move();
  return { readiness: () => dispatcher.readiness(), stop: () => running.disposeAsync() };
});
