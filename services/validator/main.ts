import { readConfigurationFile, readRulesFolder } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { startValidator } from "./service.ts";

runProcess("validator", ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "SLUICE_CONFIG"], async (context) => {
  const { environment, logger, metrics, time, random, stopping } = context;
  const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
  const messaging = createKafkaMessaging({
    connection: { brokers: environment.KAFKA_BROKERS, clientId: "validator" },
    time,
    logger,
    metrics,
  });
  opened.defer(() => messaging.close());
  const validator = await startValidator({
    time,
    random,
    logger,
    metrics,
    messaging,
    serde,
    configuration,
    rules: readRulesFolder(configuration.rulesFolder),
    partitionCount: partitionCountDefault,
    fail: (reason) => context.fail(reason),
  });
  opened.defer(() => validator.stop());
  const running = opened.move();
  return { readiness: () => validator.readiness(), stop: () => running.disposeAsync() };
});
