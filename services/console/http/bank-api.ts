// The HTTP side for banks and connectors. Before anything is looked up, a request is checked in this order: path (404),
// method (405), token (401), connections and rate of the caller (429), UETR and parameters (400), capacity (503).
//
// #1 A caller that is not known learns nothing but that, and its connection is closed: only known callers may keep
//    connections.
// #2 Only a few questions run at once (`question-turns.ts`), so that operators are answered beside them.
// #3 A question keeps its slot until all its work has ended, even if its caller has been answered 503 before.

import { servedOperations, type ServedOperationName } from "@sluice/contracts";
import {
  listRoutes,
  problemResponse,
  fromFetch,
  readShownCredentials,
  type Caller,
  type CallerMeter,
  type Callers,
  type ClientConnection,
  type Identified,
  type ServedRoute,
} from "@sluice/service";
import { Fault, type Logger, type Time, formatReason } from "@sluice/kernel";
import { Hono, type Context } from "hono";
import { formatInstant, type TransactionAnswer, type TransactionQueryHandler } from "./bank-answer.ts";
import type { EventsQueryHandler } from "../own-transactions/list-events.ts";
import { eventsSpanMaxMs, parseEventsPlace } from "../own-transactions/walk-events.ts";
import { parseInstant } from "../views/control-values.ts";
import { createQuestionTurns } from "./question-turns.ts";
import { createRequestSlots } from "./request-slots.ts";
import { type QuestionReport, type ReportedAnswer, reportRefused } from "./request-report.ts";

type BankOperations = Readonly<Partial<Record<Exclude<ServedOperationName, "bankEvents">, TransactionQueryHandler>>> & {
  readonly bankEvents?: EventsQueryHandler;
};

export interface BankApiPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly operations: BankOperations;
  readonly report: QuestionReport;
}

export interface BankApi {
  readonly routes: readonly ServedRoute[];
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
    const answer = findAnswer(ports.operations, name);
    if (answer === null || method !== "GET") continue;
    for (const path of paths.map((given) => given.replaceAll(/\{(\w+)\}/g, ":$1"))) {
      app.get(path, (context) =>
        ports.report({ operation: name, uetr: context.req.param("uetr") ?? null, connection: context.env.connection }, () =>
          get(ports, desk, answer, context),
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
  return { routes: listRoutes(app), fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

function respond(response: Response, caller: Identified<Caller> | null = null): Promise<ReportedAnswer> {
  return Promise.resolve({ caller: caller?.id ?? null, ...usedBy(caller), response });
}

function usedBy(caller: Identified<Caller> | null) {
  return { tokenId: caller?.tokenId ?? null, certificateId: caller?.certificateId ?? null };
}

/** What a question that was let in is answered with; a response says what is wrong with it. */
type Answering = (
  caller: Identified<Caller>,
  asked: Asked,
) => { readonly uetr: string | null; work(): Promise<TransactionAnswer> } | Response;

function findAnswer(operations: BankOperations, name: ServedOperationName): Answering | null {
  if (name === "bankEvents") {
    const { bankEvents } = operations;
    return bankEvents === undefined ? null : (caller, asked) => askEvents(bankEvents, caller, asked);
  }
  const answering = operations[name];
  return answering === undefined ? null : (caller, asked) => askTransaction(answering, caller, asked);
}

function askTransaction(answering: TransactionQueryHandler, caller: Identified<Caller>, { req }: Asked): ReturnType<Answering> {
  const given = req.param("uetr") ?? "";
  if (!isUetr(given)) return problemResponse(400, "Not a UETR", "The address names no UUID of the form 8-4-4-4-12.");
  const from = parseStageVersion(req.query("from"));
  if (from === null) return problemResponse(400, "Not a stageVersion", "from: a whole number from 1 to 9999.");
  const uetr = given.toLowerCase();
  return { uetr, work: () => answering({ caller, uetr, fromStageVersion: from }) };
}

function askEvents(answering: EventsQueryHandler, caller: Identified<Caller>, { req }: Asked): ReturnType<Answering> {
  const [fromMs, toMs] = [req.query("from"), req.query("to")].map((text) => parseInstant(text));
  const after = parseEventsPlace(req.query("after") ?? "0:");
  if (typeof fromMs !== "number" || typeof toMs !== "number" || toMs < fromMs || toMs - fromMs > eventsSpanMaxMs) {
    return problemResponse(400, "Not a time", "from, to: instants with their offsets, at most 31 days apart.");
  }
  if (after === null) return problemResponse(400, "Not a time", "after: give `next` of the page before.");
  return { uetr: null, work: () => answering({ caller, fromMs, toMs, after }) };
}

async function get(ports: BankApiPorts, desk: Desk, answering: Answering, context: Asked): Promise<ReportedAnswer> {
  const loggedIn = await ports.callers.identify(readShownCredentials(fromFetch(context.req.raw), context.env.connection));
  if (!loggedIn.ok) return reportRefused(loggedIn, "A known bearer token is needed.");
  const caller = loggedIn.holder;
  const excess = checkLimits(ports, caller, context.env.connection);
  if (excess !== null) return respond(excess, caller);
  const question = answering(caller, context);
  if (question instanceof Response) return respond(question, caller);
  return { caller: caller.id, ...usedBy(caller), response: toResponse(await desk.ask(caller.id, question)) };
}

function checkLimits({ meter }: BankApiPorts, { id }: Caller, connection: ClientConnection | null): Response | null {
  if (!meter.takeConnection(id, connection))
    return problemResponse(429, "Too many", "You hold too many connections.", { ...retryAfter, ...close });
  const waitSeconds = meter.takeRequest(id);
  if (waitSeconds === null) return null;
  return problemResponse(429, "Too many", "You send too many requests a second.", { "retry-after": String(waitSeconds) });
}

interface Desk {
  ask(callerId: string, question: { readonly uetr: string | null; work(): Promise<TransactionAnswer> }): Promise<TransactionAnswer>;
}

/** #2 #3 */
function createDesk({ time, logger }: BankApiPorts): Desk {
  const places = createRequestSlots({ slotsMax: questionsMax, slotsPerCallerMax: questionsOfCallerMax });
  const turns = createQuestionTurns(time);
  return {
    async ask(callerId, question) {
      const place = places.acquire(callerId);
      if (place === null) return busy;
      const work = turns
        .run(callerId, () => question.work())
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
