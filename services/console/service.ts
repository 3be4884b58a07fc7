// Console: two sides, each with its own address and its own callers. It keeps nothing; what it knows lies in the store and in the log.
//
//   GET /transactions/{uetr}                 get-transaction-status.ts   banks and connectors: the scheduler's snapshot
//   GET /transactions/{uetr}/events?from=N   get-transaction-events.ts   banks and connectors: the events topic
//   /control/v1/…                            control-handlers.ts         operators: what they decide
//                                            control-reads.ts            operators: what they ask
//
// #1 A bank or connector sees its own transactions. Another's is answered as one that is not there, in the same way and time.
// #2 "Not known" is said only with the time up to which that is certain (`known-as-of.ts`), else 503.
// #3 Credentials and limits of callers and operators change while it runs (`replaceCallers`, `replaceOperators`).
// #4 An operator's decision is a record of the journal, and takes effect only through it.

import { callersOf, type CallerSettings, type Configuration, type Operator } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { createCallerMeter, createCallers, createTokens, type Connection } from "@sluice/http";
import { createAgreedTime, createProbe, type Messaging } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { controlApi } from "./control-api.ts";
import { controlHandlers } from "./control-handlers.ts";
import { controlReads } from "./control-reads.ts";
import { earliestDate } from "./get-control-banks.ts";
import { transactionEvents } from "./get-transaction-events.ts";
import { transactionStatus } from "./get-transaction-status.ts";
import { consoleApi } from "./http-api.ts";
import { createKnownAsOf } from "./known-as-of.ts";
import { createRequestReport } from "./request-report.ts";
import { watchDayTotals } from "./watch-day-totals.ts";

export interface ConsolePorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Store;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the topics. */
  readonly lanes: number;
  /** The control API's OpenAPI document, as text; null: it is not served. */
  readonly controlDocument?: string | null;
}

export interface Console extends Running {
  fetch(request: Request, connection?: Connection): Promise<Response>;
  replaceCallers(callers: readonly CallerSettings[]): void;
  /** The same for operators, on the control API's own address. */
  fetchControl(request: Request, connection?: Connection): Promise<Response>;
  replaceOperators(operators: readonly Operator[]): void;
}

/** What one operator may ask for. */
const operatorLimits = { requestsPerSecond: 50, inboundConnections: 32 } as const;

export async function startConsole(ports: ConsolePorts): Promise<Console> {
  const { time, log, messaging, store, serde, configuration, lanes: laneCount } = ports;
  const producer = await messaging.producer("console");
  const agreedTime = createAgreedTime({ time, log, metrics: ports.metrics, probe: createProbe(producer) });
  const parties = callersOf(configuration);
  const callers = createCallers(parties);
  const meter = createCallerMeter(parties, () => time.monotonicMs());
  const operators = createTokens(configuration.operators);
  const operatorMeter = createCallerMeter(configuration.operators.map(limitsOf), () => time.monotonicMs());
  const knownAsOf = createKnownAsOf({ time, messaging, lanes: store.lanes, agreedTime, laneCount });
  const answering = { time, messaging, store, serde, knownAsOf, laneCount };
  const operations = { transactionStatus: transactionStatus(answering), transactionEvents: transactionEvents(answering) };
  const report = createRequestReport(ports);
  const api = consoleApi({ time, log, callers, meter, operations, report });
  const handlers = {
    ...controlReads({ ...ports, agreedTime }),
    ...controlHandlers({ ...ports, producer, agreedTime, knownAsOf }),
  };
  const document = ports.controlDocument ?? null;
  const control = controlApi({ time, log, operators, meter: operatorMeter, handlers, report, document });
  const dateFrom = () => earliestDate(configuration, agreedTime.nowMs());
  const totals = watchDayTotals({ ...ports, banks: configuration.banks, dateFrom });
  let stopped: Promise<void> | null = null;
  return {
    fetch: (request, connection) => api.fetch(request, connection ?? null),
    fetchControl: (request, connection) => control.fetch(request, connection ?? null),
    replaceCallers(next) {
      callers.replace(next);
      meter.replace(next);
    },
    replaceOperators(next) {
      operators.replace(next);
      operatorMeter.replace(next.map(limitsOf));
    },
    readiness() {
      if (stopped !== null) return { isReady: false, reasons: ["stopping"] };
      return agreedTime.nowMs() === null ? { isReady: false, reasons: ["log: no time seen yet"] } : { isReady: true, reasons: [] };
    },
    stop() {
      totals.stop();
      agreedTime.stop();
      stopped ??= producer.close();
      return stopped;
    },
  };
}

function limitsOf({ id }: Operator) {
  return { id, ...operatorLimits };
}
