// Ingress: what banks and scheme connectors send becomes a record of the journal, or is refused with a reason. It has no state; the store
// may be down. Addresses: `servedOperations` of contracts; one file an operation.
//
//   bank       outbound/direct-debit                               post-outbound-direct-debit.ts                            DirectDebitReceived
//   bank       inbound/direct-debit-response                       post-inbound-direct-debit-response.ts                    StatusReportReceived
//   bank       inbound/credit-transfer-authorisation-response      post-inbound-credit-transfer-authorisation-response.ts   StatusReportReceived
//   bank       credits-final                                       post-credits-final.ts                                    CreditsFinalRequested
//   connector  scheme/inbound/direct-debit                         post-scheme-inbound-direct-debit.ts                      DirectDebitReceived
//   connector  scheme/inbound/credit-transfer-authorisation        post-scheme-inbound-credit-transfer-authorisation.ts     CreditTransferReceived
//   connector  scheme/credits-final                                post-scheme-credits-final.ts                             CreditsFinalRequested
//
// #1 202 only after the log acknowledged the record. Nothing is stored for what was refused with a 4xx.
// #2 503 and 500 mean unknown: the message may be stored, and may be sent again as it is.
// #3 What is held at once is bounded in requests and bytes, in all (503) and for each caller (429).
// #4 One log line for each request, without account numbers, names or tokens.
// #5 Credentials and limits of callers change while it runs (`replaceCallers`); everything else is as configured at the start.

import { callersOf, type CallerSettings, type Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { createCallerMeter, createCallers, type Connection } from "@sluice/http";
import type { Messaging, OutgoingRecord } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { createAdmission } from "./admission.ts";
import { noRoom, unavailable, type IngressAnswer } from "./answer.ts";
import { createFairTurns } from "./fair-turns.ts";
import { ingressApi, type HttpApiPorts } from "./http-api.ts";
import { createJournalAppender, type AppendOutcome } from "./journal-appender.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { prepareRecord } from "./prepare-record.ts";
import { createRequestReport, detailOf } from "./request-report.ts";
import { traceparentFrom } from "./traceparent.ts";

export interface IngressPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the journal. */
  readonly lanes: number;
  /** The interface's documents, for anybody. */
  readonly documents?: HttpApiPorts["documents"];
}

export interface IngressRequest {
  readonly operation: Operation["name"];
  /** Id of the bank or connector that calls, known by its credentials. */
  readonly caller: string;
  readonly body: Uint8Array;
  readonly traceparent?: string | null;
}

export type { IngressAnswer } from "./answer.ts";

export interface Ingress extends Running {
  /** Takes a message of a caller that is known. Never rejects. */
  accept(request: IngressRequest): Promise<IngressAnswer>;
  /** The same over HTTP, with everything that is judged before the message. */
  fetch(request: Request, connection?: Connection): Promise<Response>;
  /** Who may call from now on, and how much. */
  replaceCallers(callers: readonly CallerSettings[]): void;
}

/** Bodies of 256 KiB at most: a hundred and more of the largest, or the bound on requests of the usual 2 KiB. One caller alone gets half. */
const admissionLimits = { requestsMax: 4_096, bytesMax: 32 * 1024 * 1024 };

export function startIngress(ports: IngressPorts): Ingress {
  const { time, configuration } = ports;
  const admission = createAdmission(admissionLimits);
  const appender = createJournalAppender(ports);
  const turns = createFairTurns(time);
  const report = createRequestReport(ports);
  const parties = callersOf(configuration);
  const callers = createCallers(parties);
  const meter = createCallerMeter(parties, () => time.monotonicMs());
  let stopped: Promise<void> | null = null;

  async function take(request: IngressRequest): Promise<IngressAnswer> {
    const startedMs = time.monotonicMs();
    // What came before the stop is finished.
    const isStopping = stopped !== null;
    const traceparent = traceparentFrom(request.traceparent ?? null, ports.random);
    const prepared = await turns.run(request.caller, () => prepareRecord(ports, request, traceparent));
    const outcome = prepared.ok ? await append(prepared.record, isStopping) : null;
    const answer = prepared.ok ? answerTo(outcome) : prepared.refusal;
    report({
      operation: request.operation,
      bank: request.caller,
      status: answer.status,
      detail: detailOf(answer),
      bytes: request.body.byteLength,
      tookMs: time.monotonicMs() - startedMs,
      traceparent,
      subject: prepared.subject,
      outcome,
    });
    return answer;
  }

  async function append(record: OutgoingRecord, isStopping: boolean): Promise<AppendOutcome> {
    return isStopping ? { kind: "unavailable", obstacle: "stopping" } : await appender.append(record);
  }

  const api = ingressApi({ time, operations, callers, meter, admission, report, take, documents: ports.documents ?? null });
  return {
    async accept(request) {
      const room = admission.enter(request.caller, request.body.byteLength);
      if (typeof room === "string") return noRoom[room];
      using _room = room;
      return await take(request);
    },
    fetch: (request, connection) => api.fetch(request, connection ?? null),
    replaceCallers(next) {
      callers.replace(next);
      meter.replace(next);
    },
    readiness() {
      const obstacle = stopped === null ? appender.obstacle() : "stopping";
      return obstacle === null ? { isReady: true, reasons: [] } : { isReady: false, reasons: [`journal: ${obstacle}`] };
    },
    stop() {
      stopped ??= admission.empty().then(() => appender.stop());
      return stopped;
    },
  };
}

/** What the bank may do next is the same in all three: send it again. */
function answerTo(outcome: AppendOutcome | null): IngressAnswer {
  if (outcome?.kind === "appended") return { status: 202 };
  if (outcome?.kind === "unavailable") return unavailable("The message was not stored. Send it again.");
  return unavailable("It is not known whether the message was stored. Send it again as it is.");
}
