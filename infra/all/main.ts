import { kafkaSettings, readConfigurationFile, registrySettings, settingNames, storeSettings } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import { runProcess, traceVariables } from "@sluice/process";
import { listen, listenLimitsDefault } from "@sluice/service";
import { findServerSettings } from "./server-settings.ts";
import { startAll } from "./start-all.ts";
import { createSteeredTime } from "./steered-time.ts";

/** A move of the clock by a day takes many seconds on a machine under load; its caller waits five minutes at most. */
const moveLimits = { ...listenLimitsDefault, idleTimeoutMs: 300_000 };

const variables = [
  "SLUICE_CONFIG",
  "SLUICE_CLOCK_START",
  "SLUICE_HTTP_HOST",
  "SLUICE_HTTP_PORT",
  "SLUICE_CONTROL_PORT",
  "SLUICE_LOG_LEVEL",
  "SLUICE_NAME_SERVERS",
  ...traceVariables,
] as const;
const serverSettings = [kafkaSettings, registrySettings, storeSettings].flatMap((table): readonly string[] => settingNames(table));
/** Milliseconds for the requests in flight when a port closes. */
const portGraceMs = 1_000;

runProcess("all", variables, async (context) => {
  const { environment, logger, tls } = context;
  const found = findServerSettings(process.env, serverSettings);
  if (found !== null) throw new Fault("all.servers-named", found, { isRetryable: false });
  const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
  const time = createSteeredTime({ machine: context.time, startAtMs: environment.SLUICE_CLOCK_START ?? context.time.nowMs() });
  await using opened = new AsyncDisposableStack();
  const all = await startAll({ ...context, time, configuration, opened, traces: environment });
  const serve = async (port: number, fetch: typeof all.fetch): Promise<number> => {
    const listening = await listen({ host: environment.SLUICE_HTTP_HOST, port, fetch, limits: moveLimits, logger, tls });
    opened.defer(() => listening.close(portGraceMs));
    return listening.port;
  };
  const port = await serve(environment.SLUICE_HTTP_PORT, all.fetch);
  const controlPort = await serve(environment.SLUICE_CONTROL_PORT, all.fetchControl);
  const running = opened.move();
  return { port, controlPort, readiness: all.readiness, stop: () => running.disposeAsync() };
});
