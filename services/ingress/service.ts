// Ingress: what banks send becomes a record of the journal, or is refused with a reason. It has no state; the store may be down.
//
//   POST outbound/direct-debit            post-outbound-direct-debit.ts           → DirectDebitReceived
//   POST inbound/direct-debit-response    post-inbound-direct-debit-response.ts   → StatusReportReceived
//
// #1 202 only after the log acknowledged the record. Nothing is stored for what was refused with a 4xx.
// #2 503 and 500 mean unknown: the message may be stored, and may be sent again as it is.
// #3 What is held at once is bounded in requests and bytes; beyond that 503.
// #4 One log line for each request, without account numbers, names or tokens.

import type { Configuration } from "@sluice/config";
import { headers, outgoingRecord, topics, type Serde } from "@sluice/contracts";
import type { Messaging, OutgoingRecord } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { createAdmission } from "./admission.ts";
import { refusal, tooMuch, unavailable, type IngressAnswer } from "./answer.ts";
import { ingressApi } from "./http-api.ts";
import { createJournalAppender, type AppendOutcome } from "./journal-appender.ts";
import type { Judgement, Operation, Subject } from "./operation.ts";
import { inboundDirectDebitResponse } from "./post-inbound-direct-debit-response.ts";
import { outboundDirectDebit } from "./post-outbound-direct-debit.ts";
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
}

export interface IngressRequest {
  readonly operation: Operation["name"];
  /** Id of the bank that calls, known by its credentials. */
  readonly caller: string;
  readonly body: Uint8Array;
  readonly traceparent?: string | null;
}

export type { IngressAnswer } from "./answer.ts";

export interface Ingress extends Running {
  /** Takes a message of a caller that is known. Never rejects. */
  accept(request: IngressRequest): Promise<IngressAnswer>;
  /** The same over HTTP, with everything that is judged before the message. */
  fetch(request: Request): Promise<Response>;
}

/** Bodies of 256 KiB at most: a hundred and more of the largest, or the bound on requests of the usual 2 KiB. */
const admissionLimits = { requestsMax: 4_096, bytesMax: 32 * 1024 * 1024 };
const operations: readonly Operation[] = [outboundDirectDebit, inboundDirectDebitResponse];

export function startIngress(ports: IngressPorts): Ingress {
  const { time, configuration, log } = ports;
  const admission = createAdmission(admissionLimits);
  const appender = createJournalAppender(ports);
  const report = createRequestReport(ports);
  let stopped: Promise<void> | null = null;

  async function take(request: IngressRequest): Promise<IngressAnswer> {
    const startedMs = time.monotonicMs();
    const traceparent = traceparentFrom(request.traceparent ?? null, ports.random);
    const prepared = prepare(request, traceparent);
    const outcome = prepared.ok ? await append(prepared.record) : null;
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

  function prepare({ operation: name, caller, body }: IngressRequest, traceparent: string): Prepared {
    const operation = operations.find((known) => known.name === name);
    if (operation === undefined || !configuration.banks.some(({ id }) => id === caller)) return notConfigured;
    try {
      const judgement = operation.judge({ caller, body, receivedAtMs: time.nowMs(), configuration });
      if (!judgement.ok) return judgement;
      const { subject, decoded } = judgement;
      const carried = { lanes: ports.lanes, headers: { [headers.traceparent]: traceparent } };
      return { ok: true, subject, record: outgoingRecord(ports.serde, topics.journal, subject.uetr, decoded, carried) };
    } catch (error) {
      log.error("ingress.judge-failed", { operation: name, bank: caller, error });
      return { ok: false, refusal: refusal(500, "Internal error", "The message could not be processed."), subject: null };
    }
  }

  async function append(record: OutgoingRecord): Promise<AppendOutcome> {
    return stopped === null ? await appender.append(record) : { kind: "unavailable", obstacle: "stopping" };
  }

  const api = ingressApi({ time, configuration, operations, admission, report, take });
  return {
    async accept(request) {
      using room = admission.enter(request.body.byteLength);
      return room === null ? tooMuch : await take(request);
    },
    fetch: (request) => api.fetch(request),
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

type Prepared = { readonly ok: true; readonly subject: Subject; readonly record: OutgoingRecord } | (Judgement & { readonly ok: false });

const notConfigured: Prepared = { ok: false, refusal: refusal(403, "Not allowed", "This caller is not configured."), subject: null };

/** What the bank may do next is the same in all three: send it again. */
function answerTo(outcome: AppendOutcome | null): IngressAnswer {
  if (outcome?.kind === "appended") return { status: 202 };
  if (outcome?.kind === "unavailable") return unavailable("The message was not stored. Send it again.");
  return unavailable("It is not known whether the message was stored. Send it again as it is.");
}
