// The HTTP side of the console. What is judged, in this order, before anything is looked up: path (404), method (405), token (401),
// connections and rate of the caller (429), UETR and parameters (400), room (503).
//
// #1 A caller that is not known learns nothing but that, and its connection is closed: only a known one may keep connections.
// #2 A question holds its place until all that it asked for has come back, also when its caller has been answered 503 before.

import { servedOperations, type ServedOperationName } from "@sluice/contracts";
import { problem, type Caller, type CallerMeter, type Callers, type Connection } from "@sluice/http";
import { Fault, type Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { Hono, type Context } from "hono";
import { instantText, type Answer, type Answering } from "./answer.ts";
import { createPlaces } from "./places.ts";
import type { RequestReport } from "./request-report.ts";

export type Operations = Readonly<Partial<Record<ServedOperationName, Answering>>>;

export interface HttpApiPorts {
  readonly time: Time;
  readonly log: Log;
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly operations: Operations;
  readonly report: RequestReport;
}

export interface HttpApi {
  /** Null: a call without a connection, as in tests. */
  fetch(request: Request, connection: Connection | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: Connection | null } };
type Asked = Context<Environment>;

const questionsMax = 512;
const questionsOfCallerMax = 64;
const answerMaxMs = 6_000;
const close = { connection: "close" } as const;
const retryAfter = { "retry-after": "1" } as const;
const busy: Answer = { kind: "unavailable", detail: "Too many questions are under way. Ask again." };
const late: Answer = { kind: "unavailable", detail: "The answer did not come in time. Ask again." };

export function consoleApi(ports: HttpApiPorts): HttpApi {
  const app = new Hono<Environment>();
  const desk = createDesk(ports);
  for (const { name, method, paths } of servedOperations) {
    const answering: Answering | undefined = ports.operations[name];
    if (answering === undefined || method !== "GET") continue;
    for (const path of paths.map((given) => given.replaceAll(/\{(\w+)\}/g, ":$1"))) {
      app.get(path, (context) => ports.report(name, context.req.param("uetr") ?? null, () => get(ports, desk, answering, context)));
      app.all(path, () =>
        ports.report(name, null, () => told(problem(405, "Method not allowed", "Only GET.", { allow: "GET", ...close }))),
      );
    }
  }
  app.notFound(() => ports.report(null, null, () => told(problem(404, "Not found", "There is no such address.", close))));
  return { fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

interface Told {
  readonly caller: string | null;
  readonly response: Response;
}

function told(response: Response, caller: string | null = null): Promise<Told> {
  return Promise.resolve({ caller, response });
}

async function get(ports: HttpApiPorts, desk: Desk, answering: Answering, context: Asked): Promise<Told> {
  const caller = ports.callers.identify(context.req.header("authorization"));
  if (caller === null) {
    return told(problem(401, "Not authenticated", "A known bearer token is needed.", { "www-authenticate": "Bearer", ...close }));
  }
  const excess = excessOf(ports, caller, context.env.connection);
  if (excess !== null) return told(excess, caller.id);
  const uetr = context.req.param("uetr") ?? "";
  if (!isUetr(uetr)) return told(problem(400, "Not a UETR", "The address names no UUID of the form 8-4-4-4-12."), caller.id);
  const from = stageVersionIn(context.req.query("from"));
  if (from === null) return told(problem(400, "Not a stageVersion", "from: a whole number from 1 to 9999."), caller.id);
  return { caller: caller.id, response: responseTo(await desk.ask(answering, { caller, uetr: uetr.toLowerCase(), from })) };
}

function excessOf({ meter }: HttpApiPorts, { id }: Caller, connection: Connection | null): Response | null {
  if (!meter.connection(id, connection)) return problem(429, "Too many", "You hold too many connections.", { ...retryAfter, ...close });
  const waitSeconds = meter.request(id);
  if (waitSeconds === null) return null;
  return problem(429, "Too many", "You send too many requests a second.", { "retry-after": String(waitSeconds) });
}

interface Desk {
  ask(answering: Answering, question: Parameters<Answering>[0]): Promise<Answer>;
}

/** #2 */
function createDesk({ time, log }: HttpApiPorts): Desk {
  const places = createPlaces({ placesMax: questionsMax, placesOfOneMax: questionsOfCallerMax });
  return {
    async ask(answering, question) {
      const place = places.enter(question.caller.id);
      if (place === null) return busy;
      const work = answering(question)
        .catch((error: unknown): Answer => {
          if (!(error instanceof Fault)) {
            log.error("console.failed", { uetr: question.uetr, error });
            return { kind: "failed" };
          }
          log.warn("console.not-answered", { uetr: question.uetr, code: error.code, reason: error.message });
          return { kind: "unavailable", detail: "What is needed for an answer is away. Ask again." };
        })
        .finally(() => place.leave());
      const { promise: tooLate, resolve } = Promise.withResolvers<Answer>();
      using _timer = time.after(answerMaxMs, () => resolve(late));
      return await Promise.race([work, tooLate]);
    },
  };
}

function responseTo(answer: Answer): Response {
  if (answer.kind === "failed") return problem(500, "Internal error", "The question could not be answered.");
  if (answer.kind === "unavailable") return problem(503, "Not available now", answer.detail, retryAfter);
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  if (answer.kind === "found") return new Response(answer.body, { status: 200, headers });
  const detail = "No transaction of yours has this UETR.";
  const body = { schema: "ErrorDetail", message: "Not known", detail, notKnownAsOf: instantText(answer.asOfMs) };
  return new Response(JSON.stringify(body), { status: 404, headers });
}

function isUetr(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function stageVersionIn(given: string | undefined): number | null {
  if (given === undefined) return 1;
  return /^[1-9]\d{0,3}$/.test(given) ? Number(given) : null;
}
