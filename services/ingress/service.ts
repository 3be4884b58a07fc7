// Ingress: a message of a bank or a scheme connector becomes a record of the journal, or is refused with a reason.
// Ingress has no state; the store may be down. The addresses are `servedOperations` of contracts.
//
//   bank       outbound/direct-debit                              DirectDebitReceived
//   bank       inbound/direct-debit-response                      StatusReportReceived
//   bank       inbound/credit-transfer-authorisation-response     StatusReportReceived
//   bank       credits-final                                      CreditsFinalRequested
//   connector  scheme/inbound/direct-debit                        DirectDebitReceived
//   connector  scheme/inbound/credit-transfer-authorisation       CreditTransferReceived
//   connector  scheme/credits-final                               CreditsFinalRequested
//
// Each operation has one file, `intake/post-<its address>.ts`.
//
// #1 202 is answered only after the broker has acknowledged the record. For a 4xx nothing is stored.
// #2 503 and 500 leave it open whether the message is stored; it may be sent again as it is.
//    It is answered within a second of its last byte, whatever others send.
// #3 What is held at once is bounded in requests and bytes, in all (503) and for each caller (429).
// #4 Each request has one log line, without account numbers, names or tokens. Of refusals that cost nothing only some
//    have one, and the rest is counted (`refusals.ts` of the service package).
// #5 Who came and who was refused, and what the configuration changed, is in the audit. No message waits for it.
// #6 Banks, connectors, their credentials and limits can change while ingress runs. New ones count only after a delay
//    (`new-parties.ts`). A request that has begun keeps what it was begun with.
// #7 Where personal data is to be sealed, nothing is stored without its key: while that cannot be had, 503.

import { type Configuration, createLiveConfiguration, listCallers, type LiveConfiguration } from "@sluice/config";
import {
  type CallerMeter,
  type Callers,
  createCallerMeter,
  createCallers,
  createRefusals,
  type ClientConnection,
  type TokenPorts,
} from "@sluice/service";
import { openAccessTokens } from "@sluice/service/access-tokens";
import type { ConfiguredService, ServicePorts } from "@sluice/process";
import { readTrace } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { startIngressAudit } from "./start-audit.ts";
import { createAdmission } from "./http/admission.ts";
import { noRoomAnswers, unavailableAnswer, type IngressAnswer } from "./http/answer.ts";
import { createFairQueue, type FairQueue } from "./http/fair-queue.ts";
import { createIngressApi, type IngressApi, type IngressApiPorts } from "./http/api.ts";
import { createSignatureJudge, type SignatureJudge } from "./http/message-signatures.ts";
import type { Readiness } from "@sluice/kernel";
import type { AppendOutcome } from "./journal/append-outcome.ts";
import { createJournalAppender, type JournalAppender } from "./journal/journal-appender.ts";
import type { IngressOperation } from "./intake/operation.ts";
import { ingressOperations } from "./operations.ts";
import { createNewParties, type NewParties } from "./new-parties.ts";
import { type PreparedRecord, prepareRecord } from "./intake/prepare-record.ts";
import { createSealKeys } from "./seal-keys.ts";
import { createIngressRequestReport, refusalDetail } from "./http/request-report.ts";
import { traceRequest } from "./http/trace-request.ts";

export interface IngressPorts extends ServicePorts {
  /** Left out: access tokens are not judged, and who has nothing else is unknown. */
  readonly tokenPorts?: TokenPorts;
  /** Serves the interface's documents, which anybody may read. */
  readonly documents?: IngressApiPorts["documents"];
}

export interface IngressRequest {
  readonly operation: IngressOperation["name"];
  /** Id of the calling bank or connector, from its credentials. */
  readonly caller: string;
  readonly body: Uint8Array;
  readonly traceparent?: string | null;
  /** Which of the caller's tokens and certificates was used, and from which address; for the log. */
  readonly tokenId?: string | null;
  readonly certificateId?: string | null;
  /** The key that signed the message; null: it need not be signed. */
  readonly signatureKeyId?: string | null;
  readonly remoteAddress?: string | null;
}

export type { IngressAnswer } from "./http/answer.ts";

export interface Ingress extends ConfiguredService {
  /** Accepts a message of a known caller. Never rejects. */
  accept(request: IngressRequest): Promise<IngressAnswer>;
  /** What it serves over HTTP. */
  readonly routes: IngressApi["routes"];
  /** The messages of callers over HTTP, without the Fetch API. */
  readonly direct: IngressApi["direct"];
  /** The same over HTTP, with all checks that come before the message. */
  fetch(request: Request, connection?: ClientConnection): Promise<Response>;
}

/**
 * Room for 128 of the largest bodies (256 KiB), or for 4,096 requests of the usual 2 KiB. One caller alone gets half.
 */
const admissionLimits = { requestsMax: 4_096, bytesMax: 32 * 1024 * 1024 };

/** Milliseconds from a request's last byte to its answer, whatever other callers send. */
const answerMaxMs = 1_000;

export function startIngress(ports: IngressPorts): Ingress {
  const { time } = ports;
  const live = createLiveConfiguration(ports.configuration);
  const admission = createAdmission(admissionLimits);
  const appender = createJournalAppender(ports);
  const queue = createFairQueue(time);
  const refusals = createRefusals(ports, "ingress");
  const audit = startIngressAudit(ports);
  const report = audit.auditing(createIngressRequestReport(ports, refusals));
  const { callers, meter, signatures, newParties } = openCallers(ports, live);
  const prepare = createPreparation(queue, { ...ports, configuration: live.view });
  let stopped: Promise<void> | null = null;

  async function take(request: IngressRequest): Promise<IngressAnswer> {
    const startedMs = time.monotonicMs();
    // A request that came before the stop is still finished.
    const isStopping = stopped !== null;
    const prepared = await prepare(request);
    const waitMaxMs = answerMaxMs - (time.monotonicMs() - startedMs);
    const outcome = prepared.ok ? await append(prepared.record, waitMaxMs, isStopping) : null;
    const answer = prepared.ok ? answerTo(outcome) : prepared.refusal;
    const tookMs = time.monotonicMs() - startedMs;
    const traceparent = prepared.ok ? readTrace(prepared.record.headers) : null;
    traceRequest(ports, request, { traceparent, tookMs, status: answer.status, subject: prepared.subject });
    report({ ...requestFields(request), ...answerFields(answer), tookMs, traceparent, subject: prepared.subject, outcome });
    return answer;
  }

  async function stopOnceEmpty(): Promise<void> {
    await admission.empty();
    refusals.stop();
    await Promise.all([appender.stop(), audit.stop(), signatures.stop()]);
  }

  async function append(record: OutgoingRecord, waitMaxMs: number, isStopping: boolean): Promise<AppendOutcome> {
    return isStopping ? { kind: "unavailable", reason: "stopping" } : await appender.append(record, waitMaxMs);
  }

  const api = createIngressApi({
    time,
    operations: ingressOperations,
    callers,
    meter,
    signatures,
    admission,
    report,
    take,
    documents: ports.documents ?? null,
    afterMessages: () => queue.afterMessages(),
  });
  return {
    async accept(request) {
      const room = admission.enter(request.caller, request.body.byteLength);
      if (typeof room === "string") return noRoomAnswers[room];
      try {
        return await take(request);
      } finally {
        room[Symbol.dispose]();
      }
    },
    routes: api.routes,
    direct: api.direct,
    fetch: (request, connection) => api.fetch(request, connection ?? null),
    replaceConfiguration(next) {
      audit.replaced(next);
      newParties.replace(next);
    },
    readiness: () => readReadiness(appender, stopped !== null),
    stop() {
      newParties.stop();
      stopped ??= stopOnceEmpty();
      return stopped;
    },
  };
}

function readReadiness(appender: Pick<JournalAppender, "unavailableReason" | "closedPartitions">, isStopping: boolean): Readiness {
  const reason = isStopping ? "stopping" : appender.unavailableReason();
  if (reason !== null) return { isReady: false, reasons: [`journal: ${reason}`] };
  return { isReady: true, reasons: appender.closedPartitions().map((partition) => `journal: partition ${partition} does not answer`) };
}

function requestFields({ operation, caller, body, ...source }: IngressRequest) {
  const { tokenId = null, certificateId = null, signatureKeyId = null, remoteAddress = null } = source;
  return { operation, caller, tokenId, certificateId, signatureKeyId, remoteAddress, bytes: body.byteLength };
}

function answerFields(answer: IngressAnswer) {
  return { status: answer.status, detail: refusalDetail(answer) };
}

type Prepared = Exclude<PreparedRecord, { readonly scope: string }>;

/** #7 */
function createPreparation(queue: FairQueue, ports: Parameters<typeof prepareRecord>[0] & IngressPorts) {
  const sealKeys = createSealKeys(ports);
  return async (request: IngressRequest): Promise<Prepared> => {
    const prepareInTurn = async () => (await queue.run(request.caller, () => prepareRecord(ports, request))) ?? overdue;
    const first = await prepareInTurn();
    if (!("scope" in first)) return first;
    const noKey: Prepared = { ok: false, refusal: notStoredAnswer, subject: first.subject };
    if (!(await sealKeys.make(first.scope))) return noKey;
    const second = await prepareInTurn();
    return "scope" in second ? noKey : second;
  };
}

const notStoredAnswer = unavailableAnswer("The message was not stored. Send it again.");

const overdue = {
  ok: false,
  subject: null,
  refusal: unavailableAnswer("Too much is under way: the message was not read in time, and not stored. Send it again."),
} as const;

interface KnownCallers {
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly signatures: SignatureJudge;
  readonly newParties: NewParties;
}

/** #6 */
function openCallers(ports: IngressPorts, live: LiveConfiguration): KnownCallers {
  const { time, configuration } = ports;
  const accessTokens = openAccessTokens(configuration.tokenIssuers, ports);
  const callers = createCallers(listCallers(configuration), () => time.nowMs(), accessTokens);
  const meter = createCallerMeter(listCallers(configuration), () => time.monotonicMs());
  const signatures = createSignatureJudge({ ...ports, origins: ports.tokenPorts?.origins ?? [] });
  function take(next: Configuration): void {
    live.replace(next);
    accessTokens?.replace(next.tokenIssuers);
    callers.replace(listCallers(next));
    meter.replace(listCallers(next));
    signatures.replace(next);
  }
  return { callers, meter, signatures, newParties: createNewParties({ time, running: configuration, take }) };
}

/** In every case but the first the bank may send the message again. */
function answerTo(outcome: AppendOutcome | null): IngressAnswer {
  if (outcome?.kind === "appended") return { status: 202 };
  if (outcome?.kind === "unavailable") return notStoredAnswer;
  return unavailableAnswer("It is not known whether the message was stored. Send it again as it is.");
}
