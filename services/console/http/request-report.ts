// Records each answered request: one log event with all fields, and the metrics. No field has an account number, a name
// or a token.

import { noteAccess, type ServiceAudit } from "@sluice/audit";
import type { Logger, Metrics, Time } from "@sluice/kernel";
import { type ClientConnection, logInRefused, type RefusedLogIn, type Refusals } from "@sluice/service";

export interface ReportedAnswer {
  /** Id of the caller, also with a credential that is not accepted; null: it is not known. */
  readonly caller: string | null;
  /** Which of the caller's tokens was used; null: none that is known. */
  readonly tokenId?: string | null;
  /** Which certificate was shown with it; null: none was needed, or none was shown. */
  readonly certificateId?: string | null;
  /** Why a known credential was not accepted; null: it was, or there was none. */
  readonly refusal?: string | null;
  /** `sub` of who signed in at the provider, or was refused after it; null, or left out: not known. */
  readonly subject?: string | null;
  readonly response: Response;
}

/**
 * Runs the work and reports on it. `operation` is null for an unknown address. `uetr` comes from the request: a text
 * that is not a UETR may be anything, and is not recorded.
 */
export type QuestionReport = (asked: Asked, work: () => Promise<ReportedAnswer>) => Promise<Response>;

interface Asked {
  readonly operation: string | null;
  readonly uetr: string | null;
  readonly connection: ClientConnection | null;
}

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface ReportPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: Pick<ServiceAudit, "trail">;
}

/** Refusals that cost nothing are sampled (`refusals`). Who came, and who was refused, is also in the audit. */
export function createQuestionReport({ time, logger, metrics, audit }: ReportPorts, refusals: Pick<Refusals, "hasLine">): QuestionReport {
  const requests = metrics.counter("sluice_console_requests_total", "Questions answered", ["operation", "status"]);
  const seconds = metrics.histogram("sluice_console_answer_seconds", "Time from question to answer", ["operation"]);
  return async ({ operation: given, uetr, connection }, work) => {
    const startedMs = time.monotonicMs();
    const operation = given ?? "none";
    const { caller, tokenId = null, certificateId = null, refusal = null, subject = null, response } = await work();
    const tookMs = time.monotonicMs() - startedMs;
    requests.add({ operation, status: String(response.status) });
    if (caller !== null && refusal === null) seconds.observe(tookMs / 1_000, { operation });
    const remoteAddress = connection?.remoteAddress ?? null;
    const used = { credential: tokenId, certificate: certificateId };
    noteAccess(audit.trail, { operation: given, caller, ...used, remoteAddress, status: response.status, refusal, personSubject: subject });
    if (!refusals.hasLine({ status: response.status, remoteAddress, caller })) return response;
    logger[response.status === 503 ? "warn" : "info"]("console.answered", {
      operation,
      caller,
      tokenId,
      certificateId: certificateId ?? undefined,
      remoteAddress,
      status: response.status,
      refusal: refusal ?? undefined,
      subject: subject ?? undefined,
      uetr: uetr !== null && uetrForm.test(uetr) ? uetr : undefined,
      tookMs: Math.round(tookMs * 10) / 10,
    });
    return response;
  };
}

/** The answer to a caller that was not let in; `needed` says which token it must have. */
export function reportRefused(refused: RefusedLogIn, needed: string): ReportedAnswer {
  const { holder, tokenId, certificateId, reason } = refused;
  return { caller: holder, tokenId, certificateId, refusal: holder === null ? null : reason, response: logInRefused(refused, needed) };
}
