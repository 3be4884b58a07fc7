import { lanesDefault, registrySerde } from "@sluice/contracts";
import { documentsApp } from "@sluice/documents";
import { listen, listenLimitsDefault, type Connection } from "@sluice/http";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/runtime/process";
import { readIngressConfig } from "./config.ts";
import { startIngress } from "./service.ts";
import { watchCallers } from "./watch-callers.ts";

const stopGraceMs = 5_000;

runService("ingress", async ({ log, metrics, time, random, stopping }) => {
  const { host, port, kafkaBrokers, schemaRegistryUrl, configurationFile, environment, configuration } = readIngressConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await registrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "ingress" }, time, log, metrics });
  opened.defer(() => messaging.close());
  const served = documentsApp();
  const documents = (request: Request): Promise<Response | null> => served.fetch(request);
  const ingress = startIngress({ time, random, log, metrics, messaging, serde, configuration, documents, lanes: lanesDefault });
  opened.defer(() => ingress.stop());
  const watch = watchCallers(ingress, { time, path: configurationFile, environment, running: configuration, log });
  opened.defer(() => watch.stop());
  const fetch = (request: Request, connection: Connection): Promise<Response> => ingress.fetch(request, connection);
  const listening = await listen({ fetch, host, port, limits: listenLimitsDefault, log });
  opened.defer(() => listening.close(stopGraceMs));
  const running = opened.move();
  return { port: listening.port, readiness: () => ingress.readiness(), stop: () => running.disposeAsync() };
});
