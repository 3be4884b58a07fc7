import { watchConfiguration } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { listen, listenLimitsDefault, type ClientConnection } from "@sluice/service";
import { createKafkaMessaging } from "@sluice/messaging";
import { runService } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { readConsoleConfig } from "./config.ts";
import { startConsole } from "./service.ts";

const stopGraceMs = 5_000;
const controlLimits = { ...listenLimitsDefault, connectionsMax: 512 };

runService("console", async ({ logger, metrics, time, random, stopping }) => {
  const { host, port, controlPort, controlDocument, kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration, ...file } =
    readConsoleConfig();
  await using opened = new AsyncDisposableStack();
  const serde = await createRegistrySerde({ url: schemaRegistryUrl, time, signal: stopping });
  const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, logger });
  opened.defer(() => store.close());
  const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "console" }, time, logger, metrics });
  opened.defer(() => messaging.close());
  const desk = await startConsole({
    time,
    random,
    logger,
    metrics,
    messaging,
    store,
    serde,
    configuration,
    partitionCount: partitionCountDefault,
    controlDocument,
  });
  opened.defer(() => desk.stop());
  const watch = watchConfiguration({
    time,
    path: file.configurationFile,
    environment: file.environment,
    running: configuration,
    changed(callers, _waiting, operators) {
      desk.replaceCallers(callers);
      desk.replaceOperators(operators);
    },
    broken: (problems) => logger.error("console.configuration-broken", { problems: problems.slice(0, 20).join("; ") }),
  });
  opened.defer(() => watch.stop());
  const fetch = (request: Request, connection: ClientConnection): Promise<Response> => desk.fetch(request, connection);
  const listening = await listen({ fetch, host, port, limits: listenLimitsDefault, logger });
  opened.defer(() => listening.close(stopGraceMs));
  const fetchControl = (request: Request, connection: ClientConnection): Promise<Response> => desk.fetchControl(request, connection);
  const control = await listen({ fetch: fetchControl, host, port: controlPort, limits: controlLimits, logger });
  opened.defer(() => control.close(stopGraceMs));
  const running = opened.move();
  return { port: listening.port, controlPort: control.port, readiness: () => desk.readiness(), stop: () => running.disposeAsync() };
});
