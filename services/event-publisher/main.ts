import { readConfigurationFile } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { startEventPublisher } from "./service.ts";

runProcess(
  "event-publisher",
  ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "SLUICE_DATABASE", "SLUICE_CONFIG"],
  async (context) => {
    const { environment, logger, metrics, time, random, stopping } = context;
    const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
    await using opened = new AsyncDisposableStack();
    const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
    const store = createMongoStore({ url: environment.MONGO_URL, database: environment.SLUICE_DATABASE, logger });
    opened.defer(() => store.close());
    await store.prepare();
    const messaging = createKafkaMessaging({
      connection: { brokers: environment.KAFKA_BROKERS, clientId: "event-publisher" },
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
  },
);
