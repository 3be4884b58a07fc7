// Console: what became of one's own transaction, asked by banks and connectors over HTTP. It changes nothing; what it knows is what
// lies in the store and in the log.
//
//   GET /transactions/{uetr}                 get-transaction-status.ts   the scheduler's snapshot
//   GET /transactions/{uetr}/events?from=N   get-transaction-events.ts   the events topic
//
// #1 A caller sees its own transactions. Another's is answered as one that is not there, in the same way and time.
// #2 "Not known" is said only with the time up to which that is certain (`known-as-of.ts`), else 503.
// #3 Credentials and limits of callers change while it runs (`replaceCallers`).

import { callersOf, type CallerSettings, type Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { createCallerMeter, createCallers, type Connection } from "@sluice/http";
import { createAgreedTime, createProbe, type Messaging } from "@sluice/messaging";
import type { Running, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { transactionEvents } from "./get-transaction-events.ts";
import { transactionStatus } from "./get-transaction-status.ts";
import { consoleApi } from "./http-api.ts";
import { createKnownAsOf } from "./known-as-of.ts";
import { createRequestReport } from "./request-report.ts";

export interface ConsolePorts {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly store: Pick<Store, "transactions" | "lanes">;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the topics. */
  readonly lanes: number;
}

export interface Console extends Running {
  fetch(request: Request, connection?: Connection): Promise<Response>;
  replaceCallers(callers: readonly CallerSettings[]): void;
}

export async function startConsole(ports: ConsolePorts): Promise<Console> {
  const { time, log, messaging, store, serde, lanes: laneCount } = ports;
  const producer = await messaging.producer("console");
  const agreedTime = createAgreedTime({ time, log, probe: createProbe(producer) });
  const parties = callersOf(ports.configuration);
  const callers = createCallers(parties);
  const meter = createCallerMeter(parties, () => time.monotonicMs());
  const knownAsOf = createKnownAsOf({ time, messaging, lanes: store.lanes, agreedTime, laneCount });
  const answering = { time, messaging, store, serde, knownAsOf, laneCount };
  const operations = { transactionStatus: transactionStatus(answering), transactionEvents: transactionEvents(answering) };
  const api = consoleApi({ time, log, callers, meter, operations, report: createRequestReport(ports) });
  let stopped: Promise<void> | null = null;
  return {
    fetch: (request, connection) => api.fetch(request, connection ?? null),
    replaceCallers(next) {
      callers.replace(next);
      meter.replace(next);
    },
    readiness() {
      if (stopped !== null) return { isReady: false, reasons: ["stopping"] };
      return agreedTime.nowMs() === null ? { isReady: false, reasons: ["log: no time seen yet"] } : { isReady: true, reasons: [] };
    },
    stop() {
      agreedTime.stop();
      stopped ??= producer.close();
      return stopped;
    },
  };
}
