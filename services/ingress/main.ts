import { readConfigurationFile } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createDocumentsApp } from "@sluice/documents";
import { listen, listenLimitsDefault, type ClientConnection } from "@sluice/service";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { startIngress } from "./service.ts";
import { watchCallers } from "./http/watch-callers.ts";

const stopGraceMs = 5_000;

runProcess(
  "ingress",
  ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "SLUICE_CONFIG", "SLUICE_HTTP_HOST", "SLUICE_HTTP_PORT"],
  async ({ environment, logger, metrics, time, random, stopping }) => {
    const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
    await using opened = new AsyncDisposableStack();
    const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
    const messaging = createKafkaMessaging({
      connection: { brokers: environment.KAFKA_BROKERS, clientId: "ingress" },
      time,
      logger,
      metrics,
    });
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
    const watch = watchCallers(ingress, {
      time,
      path: environment.SLUICE_CONFIG,
      environment: process.env,
      running: configuration,
      logger,
    });
    opened.defer(() => watch.stop());
    const fetch = (request: Request, connection: ClientConnection): Promise<Response> => ingress.fetch(request, connection);
    const listening = await listen({
      fetch,
      host: environment.SLUICE_HTTP_HOST,
      port: environment.SLUICE_HTTP_PORT,
      limits: listenLimitsDefault,
      logger,
    });
    opened.defer(() => listening.close(stopGraceMs));
    const running = opened.move();
    return { port: listening.port, readiness: () => ingress.readiness(), stop: () => running.disposeAsync() };
  },
);
