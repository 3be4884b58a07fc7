// Runs a service as a process. `main.ts` is a table of what the service needs, and this one call.
//
// #1 A service does not start while topics have another number of partitions than configured: the process lives, is not
//    ready, and `/readyz` names the topics.
// #2 While a need is away, the process lives, waits and says why (`open-patiently.ts`).
// #3 Everything is closed in reverse order of its opening: the HTTP ports first, then the service, then its needs.
// #4 Every service follows the configuration file while it runs.
// #5 A service that calls no bank has no secret of that file, and needs no variable of one.
// #6 What only the loading of its code needed is given back before the service starts (`release-memory.ts`).

import { type Configuration, leaveOutSecrets, readConfigurationFile, type VariableName } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import { countDroppedConnections, listen, type ListenLimits, listenLimitsDefault, type RequestHandlers } from "@sluice/service";
import { followConfiguration } from "./follow-configuration.ts";
import { type Needs, needVariables, type Opened, openNeeds } from "./needs.ts";
import { releaseMemory } from "./release-memory.ts";
import { runProcess } from "./run-process.ts";
import { openTracer, traceVariables } from "./traces/open-tracer.ts";
import { partitionsDiffer } from "./checks/partition-check.ts";
import { warnOfUnasked } from "./connections/warn-of-unasked.ts";
import type { ConfiguredService, ServicePorts } from "./service-ports.ts";

/** What a service is started with besides its needs. */
interface StartPorts extends Omit<ServicePorts, "messaging" | "serde"> {
  /** Ends the process, because of a failure that the service cannot survive. */
  readonly fail: (reason: unknown) => void;
}

/** An API of the service on a port of its own. */
interface ServedApi<S> {
  /** The variable that names its port. */
  readonly variable: "SLUICE_HTTP_PORT" | "SLUICE_CONSOLE_PORT" | "SLUICE_CONTROL_PORT";
  readonly limits?: ListenLimits;
  /** What answers its requests; `direct` those that go without the Fetch API. */
  readonly handlers: (service: S) => RequestHandlers;
}

interface ServiceTable<N extends Needs, S extends ConfiguredService> {
  readonly needs: N;
  readonly start: (ports: StartPorts & Opened<N>) => S | Promise<S>;
  /** The APIs, by the name under which `service.listening` logs their port. */
  readonly serves?: { readonly port: ServedApi<NoInfer<S>>; readonly controlPort?: ServedApi<NoInfer<S>> };
}

/** Milliseconds for the requests in flight when a port closes. */
const portGraceMs = 5_000;

export function runService<N extends Needs, S extends ConfiguredService>(name: string, table: ServiceTable<N, S>): void {
  const apis = Object.entries(table.serves ?? {});
  const served: readonly VariableName[] = apis.length === 0 ? [] : ["SLUICE_HTTP_HOST", ...apis.map(([, { variable }]) => variable)];

  runProcess(name, ["SLUICE_CONFIG", ...traceVariables, ...needVariables(table.needs), ...served], async (context) => {
    const { environment, time, random, logger, metrics, stopping, tls } = context;
    const usesSecrets = Object.values(table.needs).some((need) => need.usesSecrets === true);
    const given = usesSecrets ? process.env : leaveOutSecrets(process.env);
    const file = { time, path: environment.SLUICE_CONFIG, environment: given };
    const configuration = readConfigurationFile(file.path, file.environment);
    await using opened = new AsyncDisposableStack();
    const opening = { name, environment, configuration, time, random, logger, metrics, stopping, opened };
    const needs = await openNeeds(table.needs, opening, context).catch((error: unknown) => refusalOf(error));
    if (needs instanceof Fault) {
      logger.error("service.refused", { error: needs });
      return { readiness: () => ({ isReady: false, reasons: [needs.message] }), stop: () => Promise.resolve() };
    }
    releaseMemory();
    const { partitionCount } = configuration;
    const tracer = openTracer(name, environment, context);
    if (tracer !== null) opened.defer(() => tracer.stop());
    const own = { time, random, logger, metrics, configuration, partitionCount, ...(tracer === null ? {} : { tracer }) };
    const service = await table.start({ ...own, ...needs, fail: (reason) => context.fail(reason) });
    opened.defer(() => service.stop());
    const warn = (next: Configuration): void => (apis.length === 0 ? undefined : warnOfUnasked(next, tls, logger));
    const replace = (next: Configuration): void => {
      warn(next);
      service.replaceConfiguration(next);
    };
    warn(configuration);
    const following = followConfiguration({ ...file, running: configuration, logger, metrics, replace });
    opened.defer(() => following.stop());
    const ports: Partial<Record<string, number>> = {};
    for (const [portName, { variable, limits = listenLimitsDefault, handlers }] of apis) {
      const address = { host: environment.SLUICE_HTTP_HOST, port: environment[variable] };
      const answering = handlers(service);
      const listening = await listen({
        ...address,
        fetch: (request, connection) => answering.fetch(request, connection),
        ...(answering.direct === undefined ? {} : { direct: answering.direct }),
        limits,
        logger,
        tls,
        dropped: countDroppedConnections(metrics, portName),
      });
      opened.defer(() => listening.close(portGraceMs));
      ports[portName] = listening.port;
    }
    const running = opened.move();
    return { ...ports, readiness: () => service.readiness(), stop: () => running.disposeAsync() };
  });
}

/** #1; throws every other error again, which ends the process. */
function refusalOf(error: unknown): Fault {
  if (error instanceof Fault && error.code === partitionsDiffer) return error;
  throw error;
}
