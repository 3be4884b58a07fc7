import { partiesOf } from "@sluice/config";
import { lanesDefault, registrySerde } from "@sluice/contracts";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/runtime/process";
import { createMongoStore } from "@sluice/store";
import { readDispatcherConfig } from "./config.ts";
import { startDispatcher } from "./service.ts";

runService("dispatcher", async (context) => {
  const { log, metrics, time, random, stopping } = context;
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration } = readDispatcherConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await registrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, log });
  opened.defer(() => store.close());
  await store.prepare();
  const messaging = createKafkaMessaging({
    connection: { brokers: kafkaBrokers, clientId: "dispatcher" },
    busyLingerMaxMs: 20,
    time,
    log,
    metrics,
  });
  opened.defer(() => messaging.close());
  const gateway = createUndiciGateway(partiesOf(configuration), { time, log, metrics });
  opened.defer(() => gateway.close());
  const dispatcher = await startDispatcher({
    time,
    random,
    log,
    metrics,
    messaging,
    store,
    serde,
    configuration,
    gateway,
    lanes: lanesDefault,
    fail: (reason) => context.fail(reason),
  });
  opened.defer(() => dispatcher.stop());
  const running = opened.move();
  return { readiness: () => dispatcher.readiness(), stop: () => running.disposeAsync() };
});
