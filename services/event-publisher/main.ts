import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { readEventPublisherConfig } from "./config.ts";
import { startEventPublisher } from "./service.ts";

runService("event-publisher", async (context) => {
  const { logger, metrics, time, random, stopping } = context;
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration } = readEventPublisherConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, logger });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({
    connection: { brokers: kafkaBrokers, clientId: "event-publisher" },
    busyLingerMaxMs: 20,
    time,
    logger,
    metrics,
  });
  opened.defer(() => messaging.close());
  const gateway = createUndiciGateway(configuration.banks, { time, logger, metrics });
  opened.defer(() => gateway.close());
  const publisher = await startEventPublisher({
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
  opened.defer(() => publisher.stop());
  const running = opened.move();
  return { readiness: () => publisher.readiness(), stop: () => running.disposeAsync() };
});
