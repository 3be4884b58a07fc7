// All services, unchanged, in one process over the memory adapters, on one clock that can be moved ahead. The network
// to banks is real. For tests of those who write a bank's side: nothing outlives the process.
//
// #1 Each service has its own client of the memory broker, its own logger and its own metrics, as a process has.
// #2 While a bank is called, or a caller waits for an answer, the clock does not move ahead.
// #3 The journal is bounded: beyond `recordsMax` ingress answers 503.
// #4 Banks have one address, as the interface says: ingress and the console share it.

import { listParties, readRulesFolder, type Configuration, type ServiceEnvironment } from "@sluice/config";
import { startConsole } from "@sluice/console";
import { createFixedSerde, topics } from "@sluice/contracts";
import type { ReceiverGateway } from "@sluice/delivery";
import { receiverGateway } from "@sluice/delivery/receiver-gateway";
import { startDispatcher } from "@sluice/dispatcher";
import { createDocumentsApp, readDocument } from "@sluice/documents";
import { startEventPublisher } from "@sluice/event-publisher";
import { startIngress } from "@sluice/ingress";
import { Fault, machineTime, type Readiness, type Running } from "@sluice/kernel";
import { createMemoryBroker, type MemoryBroker, type Messaging } from "@sluice/messaging";
import { type Opening, openTracer, type TraceEnvironment } from "@sluice/process";
import { createDataKeys, createSealingSerde, type KeyService } from "@sluice/secrecy";
import { startScheduler } from "@sluice/scheduler";
import { type ClientConnection, createLogger, createMetrics } from "@sluice/service";
import { createMemoryStore, type Store } from "@sluice/store";
import { startValidator } from "@sluice/validator";
import { createClockApi, isClockPath } from "./clock-api.ts";
import type { SteeredTime } from "./steered-time.ts";

export interface AllPorts extends Omit<Opening<never>, "name" | "time" | "environment"> {
  readonly environment: Pick<ServiceEnvironment, "SLUICE_LOG_LEVEL" | "SLUICE_NAME_SERVERS">;
  readonly time: SteeredTime;
  /** Holds the keys that personal data is sealed with; left out: there are none, and nothing can be sealed. */
  readonly keys?: KeyService;
  /** Left out: nothing is traced. */
  readonly traces?: TraceEnvironment;
  /** Where the log lines go; left out: standard output. */
  readonly logTo?: { write(line: string): void };
  fail(reason: unknown): void;
}

type Fetch = (request: Request, connection: ClientConnection) => Promise<Response>;

export interface All {
  /** The address of banks and connectors (#4). */
  readonly fetch: Fetch;
  /** The control API, and the clock. */
  readonly fetchControl: Fetch;
  readonly readiness: () => Readiness;
  /** For who looks at the whole run from the same process, as the demo does. */
  readonly store: Store;
  readonly messaging: Messaging;
}

/** #3: some 6,000 transactions with all their events. */
const recordsMax = 200_000;

/** `opened` ends what was started. Operators' records need no signature: nobody else writes the log of one process. */
export async function startAll(given: AllPorts): Promise<All> {
  const ports = { ...given, configuration: { ...given.configuration, operatorSignatures: null } };
  const { time, configuration, opened } = ports;
  if (configuration.sealPersonalData && ports.keys === undefined) {
    throw new Fault("all.no-keys", "sealPersonalData: here everything is in memory, and there are no keys", { isRetryable: false });
  }
  const broker = startBroker(ports, configuration.partitionCount);
  const store = createMemoryStore({ time, random: ports.random, hooks: { latencyMs: [0, 0] } });
  const started: { readonly name: string; readonly service: Running }[] = [];
  const portsOf = (name: string) => portsOfService(ports, broker, name);
  async function start<S extends Running>(name: string, starting: S | Promise<S>): Promise<S> {
    const service = await starting;
    opened.defer(() => service.stop());
    started.push({ name, service });
    return service;
  }
  const dispatching = portsOf("dispatcher");
  const publishing = portsOf("event-publisher");
  await start("validator", startValidator({ ...portsOf("validator"), rules: readRulesFolder(configuration.rulesFolder) }));
  await start("scheduler", startScheduler({ ...portsOf("scheduler"), store }));
  await start("dispatcher", startDispatcher({ ...dispatching, store, gateway: await openGateway(ports, dispatching, listParties) }));
  const gateway = await openGateway(ports, publishing, ({ banks }) => banks);
  await start("event-publisher", startEventPublisher({ ...publishing, store, gateway }));
  const desk = await start(
    "console",
    startConsole({ ...portsOf("console"), store, keyService: ports.keys ?? null, controlDocument: readDocument("control") }),
  );
  const ingress = await start("ingress", startIngress({ ...portsOf("ingress"), documents: createDocumentsApp() }));
  const clock = createClockApi({ time, days: store.days });
  const isOfConsole = ({ method, url }: Request): boolean => method === "GET" && new URL(url).pathname.startsWith("/transactions/");
  return {
    fetch: (request, connection) => time.outside(() => (isOfConsole(request) ? desk : ingress).fetch(request, connection)),
    fetchControl: (request, connection) =>
      isClockPath(request) ? clock.fetch(request) : time.outside(() => desk.fetchControl(request, connection)),
    readiness: () => readinessOf(started),
    store,
    messaging: portsOf("observer").messaging,
  };
}

function startBroker({ time, random }: AllPorts, partitionCount: number): MemoryBroker {
  let records = 0;
  return createMemoryBroker({
    time,
    random,
    latencyMinMs: 0,
    latencyMaxMs: 0,
    topics: Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : partitionCount])),
    hooks: {
      produce(_client, batch) {
        // The probe's records only tell the time; they are not counted, or a day that passes would fill the log.
        records += batch.filter(({ topic }) => topic !== topics.probe).length;
        return { kind: records > recordsMax ? "refuse" : "append" };
      },
    },
  });
}

/** #1 */
function portsOfService(ports: AllPorts, broker: MemoryBroker, name: string) {
  const { time, random, configuration, opened, keys = null } = ports;
  const messaging = broker.client(name);
  opened.defer(() => messaging.close());
  const metrics = createMetrics({ withProcess: false });
  const logger = createLogger({
    service: name,
    level: ports.environment.SLUICE_LOG_LEVEL,
    ...(ports.logTo === undefined ? {} : { destination: ports.logTo }),
  });
  // #2 The collector is no bank: the clock does not wait for it.
  const tracer = ports.traces === undefined ? null : openTracer(name, ports.traces, { time: machineTime, random, logger, metrics });
  if (tracer !== null) opened.defer(() => tracer.stop());
  return {
    time,
    random,
    logger,
    metrics,
    ...(tracer === null ? {} : { tracer }),
    messaging,
    serde: createSealingSerde({ serde: createFixedSerde(), keys: keys === null ? null : createDataKeys({ service: keys, time }) }),
    configuration,
    partitionCount: configuration.partitionCount,
    fail: (reason: unknown) => ports.fail(reason),
  };
}

/** #2 */
async function openGateway(
  { time, environment, stopping, configuration, opened }: AllPorts,
  { random, logger, metrics }: ReturnType<typeof portsOfService>,
  listReceivers: (of: Configuration) => ReturnType<typeof listParties>,
): Promise<ReceiverGateway> {
  const need = receiverGateway(listReceivers);
  const gateway = await need.open({ name: "all", environment, configuration, time, random, logger, metrics, stopping, opened });
  return { ...gateway, post: (request) => time.outside(() => gateway.post(request)) };
}

function readinessOf(started: readonly { readonly name: string; readonly service: Running }[]): Readiness {
  const reasons = started.flatMap(({ name, service }) => service.readiness().reasons.map((reason) => `${name}: ${reason}`));
  return { isReady: reasons.length === 0, reasons };
}
