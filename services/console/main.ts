import { readFileSync } from "node:fs";
import { watchConfiguration, readConfigurationFile } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { listen, listenLimitsDefault, type ClientConnection } from "@sluice/service";
import { createKafkaMessaging } from "@sluice/messaging";
import { runProcess } from "@sluice/process";
import { createMongoStore } from "@sluice/store";
import { startConsole } from "./service.ts";

const stopGraceMs = 5_000;
const controlLimits = { ...listenLimitsDefault, connectionsMax: 512 };

runProcess(
  "console",
  [
    "KAFKA_BROKERS",
    "SCHEMA_REGISTRY_URL",
    "MONGO_URL",
    "SLUICE_DATABASE",
    "SLUICE_CONFIG",
    "SLUICE_HTTP_HOST",
    "SLUICE_CONSOLE_PORT",
    "SLUICE_CONTROL_PORT",
  ],
  async ({ environment, logger, metrics, time, random, stopping }) => {
    const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
    await using opened = new AsyncDisposableStack();
    const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time, signal: stopping });
    const store = createMongoStore({ url: environment.MONGO_URL, database: environment.SLUICE_DATABASE, logger });
    opened.defer(() => store.close());
    const messaging = createKafkaMessaging({
      connection: { brokers: environment.KAFKA_BROKERS, clientId: "console" },
      time,
      logger,
      metrics,
    });
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
      controlDocument: readFileSync(new URL("../../docs/api/control.json", import.meta.url), "utf8"),
    });
    opened.defer(() => desk.stop());
    const watch = watchConfiguration({
      time,
      path: environment.SLUICE_CONFIG,
      environment: process.env,
      running: configuration,
      changed(callers, _waiting, operators) {
        desk.replaceCallers(callers);
        desk.replaceOperators(operators);
      },
      broken: (problems) => logger.error("console.configuration-broken", { problems: problems.slice(0, 20).join("; ") }),
    });
    opened.defer(() => watch.stop());
    const fetch = (request: Request, connection: ClientConnection): Promise<Response> => desk.fetch(request, connection);
    const listening = await listen({
      fetch,
      host: environment.SLUICE_HTTP_HOST,
      port: environment.SLUICE_CONSOLE_PORT,
      limits: listenLimitsDefault,
      logger,
    });
    opened.defer(() => listening.close(stopGraceMs));
    const fetchControl = (request: Request, connection: ClientConnection): Promise<Response> => desk.fetchControl(request, connection);
    const control = await listen({
      fetch: fetchControl,
      host: environment.SLUICE_HTTP_HOST,
      port: environment.SLUICE_CONTROL_PORT,
      limits: controlLimits,
      logger,
    });
    opened.defer(() => control.close(stopGraceMs));
    const running = opened.move();
    return { port: listening.port, controlPort: control.port, readiness: () => desk.readiness(), stop: () => running.disposeAsync() };
  },
);
