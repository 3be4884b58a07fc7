import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { readValidatorConfig } from "./config.ts";
import { startValidator } from "./service.ts";

runService("validator", async (context) => {
  const { logger, metrics, time, random, stopping } = context;
  const { kafkaBrokers, schemaRegistryUrl, configuration, rules } = readValidatorConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "validator" }, time, logger, metrics });
  opened.defer(() => messaging.close());
  const validator = await startValidator({
    time,
    random,
    logger,
    metrics,
    messaging,
    serde,
    configuration,
    rules,
    partitionCount: partitionCountDefault,
    fail: (reason) => context.fail(reason),
  });
  opened.defer(() => validator.stop());
  const running = opened.move();
  return { readiness: () => validator.readiness(), stop: () => running.disposeAsync() };
});
