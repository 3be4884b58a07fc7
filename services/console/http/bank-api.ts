// The HTTP side for banks and connectors. Before anything is looked up, a request is checked in this order: path (404),
// method (405), token (401), connections and rate of the caller (429), UETR and parameters (400), capacity (503).
//
// #1 A caller that is not known learns nothing but that, and its connection is closed: only known callers may keep
//    connections.
// #2 Only a few questions run at once (`question-turns.ts`), so that operators are answered beside them.
// #3 A question keeps its slot until all its work has ended, even if its caller has been answered 503 before.

import { servedOperations, type ServedOperationName } from "@sluice/contracts";
import { problemResponse, type Caller, type CallerMeter, type Callers, type ClientConnection, type Identified } from "@sluice/service";
import { Fault, type Logger, type Time, formatReason } from "@sluice/kernel";
import { Hono, type Context } from "hono";
import { formatInstant, type TransactionAnswer, type TransactionQueryHandler } from "./bank-answer.ts";
import { createQuestionTurns } from "./question-turns.ts";
import { createRequestSlots } from "./request-slots.ts";
import type { QuestionReport } from "./request-report.ts";

type BankOperations = Readonly<Partial<Record<ServedOperationName, TransactionQueryHandler>>>;

export interface BankApiPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly operations: BankOperations;
  readonly report: QuestionReport;
}

export interface BankApi {
  /** `connection` is null for a call without one, as in tests. */
  fetch(request: Request, connection: ClientConnection | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: ClientConnection | null } };
type Asked = Context<Environment>;

const questionsMax = 512;
const questionsOfCallerMax = 64;
const answerMaxMs = 6_000;
const close = { connection: "close" } as const;
const retryAfter = { "retry-after": "1" } as const;
const busy: TransactionAnswer = { kind: "unavailable", detail: "Too many questions are under way. Ask again." };
const late: TransactionAnswer = { kind: "unavailable", detail: "The answer did not come in time. Ask again." };

export function createBankApi(ports: BankApiPorts): BankApi {
  const app = new Hono<Environment>();
  const desk = createDesk(ports);
  for (const { name, method, paths } of servedOperations) {
    const answering: TransactionQueryHandler | undefined = ports.operations[name];
    if (answering === undefined || method !== "GET") continue;
    for (const path of paths.map((given) => given.replaceAll(/\{(\w+)\}/g, ":$1"))) {
      app.get(path, (context) =>
        ports.report({ operation: name, uetr: context.req.param("uetr") ?? null, connection: context.env.connection }, () =>
          get(ports, desk, answering, context),
        ),
      );
      app.all(path, ({ env }) =>
        ports.report({ operation: name, uetr: null, connection: env.connection }, () =>
          respond(problemResponse(405, "Method not allowed", "Only GET.", { allow: "GET", ...close })),
        ),
      );
    }
  }
  app.notFound(({ env }) =>
    ports.report({ operation: null, uetr: null, connection: env.connection }, () =>
      respond(problemResponse(404, "Not found", "There is no such address.", close)),
    ),
  );
  return { fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

interface ReportedAnswer {
  readonly caller: string | null;
  readonly tokenId: string | null;
  readonly response: Response;
}

function respond(response: Response, caller: Identified<Caller> | null = null): Promise<ReportedAnswer> {
  return Promise.resolve({ caller: caller?.id ?? null, tokenId: caller?.tokenId ?? null, response });
}

async function get(ports: BankApiPorts, desk: Desk, answering: TransactionQueryHandler, context: Asked): Promise<ReportedAnswer> {
  const caller = ports.callers.identify(context.req.header("authorization"));
  if (caller === null) {
    return respond(
      problemResponse(401, "Not authenticated", "A known bearer token is needed.", { "www-authenticate": "Bearer", ...close }),
    );
  }
  const excess = checkLimits(ports, caller, context.env.connection);
  if (excess !== null) return respond(excess, caller);
  const uetr = context.req.param("uetr") ?? "";
  if (!isUetr(uetr)) return respond(problemResponse(400, "Not a UETR", "The address names no UUID of the form 8-4-4-4-12."), caller);
  const from = parseStageVersion(context.req.query("from"));
  if (from === null) return respond(problemResponse(400, "Not a stageVersion", "from: a whole number from 1 to 9999."), caller);
  return {
    caller: caller.id,
    tokenId: caller.tokenId,
    response: toResponse(await desk.ask(answering, { caller, uetr: uetr.toLowerCase(), fromStageVersion: from })),
  };
}

function checkLimits({ meter }: BankApiPorts, { id }: Caller, connection: ClientConnection | null): Response | null {
  if (!meter.takeConnection(id, connection))
    return problemResponse(429, "Too many", "You hold too many connections.", { ...retryAfter, ...close });
  const waitSeconds = meter.takeRequest(id);
  if (waitSeconds === null) return null;
  return problemResponse(429, "Too many", "You send too many requests a second.", { "retry-after": String(waitSeconds) });
}

interface Desk {
  ask(answering: TransactionQueryHandler, question: Parameters<TransactionQueryHandler>[0]): Promise<TransactionAnswer>;
}

/** #2 #3 */
function createDesk({ time, logger }: BankApiPorts): Desk {
  const places = createRequestSlots({ slotsMax: questionsMax, slotsPerCallerMax: questionsOfCallerMax });
  const turns = createQuestionTurns(time);
  return {
    async ask(answering, question) {
      const place = places.acquire(question.caller.id);
      if (place === null) return busy;
      const work = turns
        .run(question.caller.id, () => answering(question))
        .then((answer) => answer ?? late)
        .catch((error: unknown): TransactionAnswer => {
          if (!(error instanceof Fault)) {
            logger.error("console.failed", { uetr: question.uetr, error });
            return { kind: "failed" };
          }
          logger.warn("console.not-answered", { uetr: question.uetr, code: error.code, reason: formatReason(error) });
          return { kind: "unavailable", detail: "What is needed for an answer is away. Ask again." };
        })
        .finally(() => place.release());
      const { promise: tooLate, resolve } = Promise.withResolvers<TransactionAnswer>();
      using _timer = time.after(answerMaxMs, () => resolve(late));
      return await Promise.race([work, tooLate]);
    },
  };
}

function toResponse(answer: TransactionAnswer): Response {
  if (answer.kind === "failed") return problemResponse(500, "Internal error", "The question could not be answered.");
  if (answer.kind === "unavailable") return problemResponse(503, "Not available now", answer.detail, retryAfter);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  if (answer.kind === "found") return new Response(answer.body, { status: 200, headers });
  const detail = "No transaction of yours has this UETR.";
  const body = { schema: "ErrorDetail", message: "Not known", detail, notKnownAsOf: formatInstant(answer.asOfMs) };
  return new Response(JSON.stringify(body), { status: 404, headers });
}

function isUetr(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function parseStageVersion(given: string | undefined): number | null {
  if (given === undefined) return 1;
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : null;
}
