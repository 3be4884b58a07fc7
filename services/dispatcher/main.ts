import { listParties, readConfigurationFile } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { startDispatcher } from "./service.ts";

runProcess("dispatcher", ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "SLUICE_DATABASE", "SLUICE_CONFIG"], async (context) => {
  const { environment, logger, metrics, time, random, stopping } = context;
  const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
  const store = createMongoStore({ url: environment.MONGO_URL, database: environment.SLUICE_DATABASE, logger });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({
    connection: { brokers: environment.KAFKA_BROKERS, clientId: "dispatcher" },
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
