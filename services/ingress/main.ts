import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createDocumentsApp } from "@sluice/documents";
import { listen, listenLimitsDefault, type ClientConnection } from "@sluice/service";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { readIngressConfig } from "./config.ts";
import { startIngress } from "./service.ts";
import { watchCallers } from "./http/watch-callers.ts";

const stopGraceMs = 5_000;

runService("ingress", async ({ logger, metrics, time, random, stopping }) => {
  const { host, port, kafkaBrokers, schemaRegistryUrl, configurationFile, environment, configuration } = readIngressConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "ingress" }, time, logger, metrics });
  opened.defer(() => messaging.close());
  const served = createDocumentsApp();
  const documents = (request: Request): Promise<Response | null> => served.fetch(request);
  const ingress = startIngress({
    time,
    random,
    logger,
    metrics,
    messaging,
    serde,
    configuration,
    documents,
    partitionCount: partitionCountDefault,
  });
  opened.defer(() => ingress.stop());
  const watch = watchCallers(ingress, { time, path: configurationFile, environment, running: configuration, logger });
  opened.defer(() => watch.stop());
  const fetch = (request: Request, connection: ClientConnection): Promise<Response> => ingress.fetch(request, connection);
  const listening = await listen({ fetch, host, port, limits: listenLimitsDefault, logger });
  opened.defer(() => listening.close(stopGraceMs));
  const running = opened.move();
  return { port: listening.port, readiness: () => ingress.readiness(), stop: () => running.disposeAsync() };
});
