// The HTTP side of the control API. What is judged, in this order, before anything is looked up or appended: path (404), method (405),
// token (401), connections and rate of the operator (429), role (403), address and query (400), idempotency key (400), media type (415),
// room (503), body (411, 413, 400).
//
// #1 Who is not known as an operator learns nothing but that: banks and connectors are not known here.
// #2 A question holds its place until all that it asked for has come back, an export until its last part has gone (`places.ts`).
// #3 A decision is answered 202 only when its handler says that it was appended; what fails on the way is 503 or 500, and may be sent again.

import { controlOperations, controlPrefix, type ControlOperation, type ControlOperationName, type ControlRole } from "@sluice/contracts";
import { problem, readBody, type CallerMeter, type Connection, type TokenHolder, type Tokens } from "@sluice/http";
import { Fault, type Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { Hono, type Context } from "hono";
import { controlResponse, refusedInvalid } from "./control-answer.ts";
import { controlBodyBytesMax, type ControlAnswer, type ControlHandler, type ControlHandlers, type Operator } from "./control-handler.ts";
import { actionIdIn, pathIn, queryIn } from "./control-question.ts";
import { createPlaces, type Place, type Places } from "./places.ts";
import type { RequestReport } from "./request-report.ts";

export interface KnownOperator extends TokenHolder {
  readonly name: string;
  readonly roles: readonly ControlRole[];
}

export interface ControlApiPorts {
  readonly time: Time;
  readonly log: Log;
  readonly operators: Pick<Tokens<KnownOperator>, "identify">;
  readonly meter: CallerMeter;
  readonly handlers: ControlHandlers;
  readonly report: RequestReport;
  /** The OpenAPI document, for anybody; null: none. */
  readonly document: string | null;
}

export interface ControlApi {
  /** Null: a call without a connection, as in tests. */
  fetch(request: Request, connection: Connection | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: Connection | null } };
type Asked = Context<Environment>;
type Operation = ControlOperation & { readonly name: ControlOperationName };

interface Told {
  readonly caller: string | null;
  readonly response: Response;
}

const placesMax = 128;
const placesOfOneMax = 16;
const answerMaxMs = 8_000;
const close = { connection: "close" } as const;
const busy = "Too many questions are under way. Ask again.";
const late: ControlAnswer = {
  kind: "unavailable",
  detail: "The answer did not come in time. Ask again; a decision under the same Idempotency-Key.",
};

export function controlApi(ports: ControlApiPorts): ControlApi {
  const app = new Hono<Environment>();
  const places = createPlaces({ placesMax, placesOfOneMax });
  if (ports.document !== null) {
    const { document } = ports;
    app.get(`${controlPrefix}/openapi.json`, () => new Response(document, { headers: { "content-type": "application/json", ...close } }));
  }
  for (const [path, operations] of byPath(ports.handlers)) {
    for (const operation of operations) {
      const handler = ports.handlers[operation.name];
      if (handler === undefined) continue;
      app.on(operation.method, path, (context) =>
        ports.report(operation.name, context.req.param("uetr") ?? null, () => answered(ports, places, operation, handler, context)),
      );
    }
    const allow = operations.map(({ method }) => method).join(", ");
    app.all(path, () => refusedOutright(ports, problem(405, "Method not allowed", `Only ${allow}.`, { allow, ...close })));
  }
  app.notFound(() => refusedOutright(ports, problem(404, "Not found", "There is no such address.", close)));
  return { fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

/** Operations that have a handler, by their path in the router's form. */
function byPath(handlers: ControlHandlers): ReadonlyMap<string, readonly Operation[]> {
  const served: readonly Operation[] = controlOperations.filter(({ name }) => handlers[name] !== undefined);
  return Map.groupBy(served, ({ path }) => `${controlPrefix}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
}

function refusedOutright({ report }: ControlApiPorts, response: Response): Promise<Response> {
  return report(null, null, () => Promise.resolve({ caller: null, response }));
}

async function answered(
  ports: ControlApiPorts,
  places: Places,
  operation: Operation,
  handler: ControlHandler,
  asked: Asked,
): Promise<Told> {
  // The router takes it for a GET, and would leave what is answered unread.
  if (asked.req.method === "HEAD") {
    return { caller: null, response: problem(405, "Method not allowed", "Only GET.", { allow: "GET", ...close }) };
  }
  const known = ports.operators.identify(asked.req.header("authorization"));
  if (known === null) {
    const challenge = { "www-authenticate": "Bearer", ...close };
    return { caller: null, response: problem(401, "Not authenticated", "A bearer token of an operator is needed.", challenge) };
  }
  const operator = { id: known.id, name: known.name, roles: new Set(known.roles) };
  const refused = judgeOperator(ports, operation, operator, asked.env.connection);
  if (refused !== null) return { caller: known.id, response: refused };
  return { caller: known.id, response: await judgedAndHandled(ports, places, { operation, handler, operator }, asked) };
}

function judgeOperator(
  { meter }: ControlApiPorts,
  { role }: Operation,
  operator: Operator,
  connection: Connection | null,
): Response | null {
  if (!meter.connection(operator.id, connection)) {
    return problem(429, "Too many", "You hold too many connections.", { "retry-after": "1", ...close });
  }
  const waitSeconds = meter.request(operator.id);
  if (waitSeconds !== null) {
    return problem(429, "Too many", "You send too many requests a second.", { "retry-after": String(waitSeconds) });
  }
  return operator.roles.has(role) ? null : problem(403, "Not allowed", `This needs the role ${role}.`);
}

interface Handled {
  readonly operation: Operation;
  readonly handler: ControlHandler;
  readonly operator: Operator;
}

async function judgedAndHandled(ports: ControlApiPorts, places: Places, handled: Handled, { req }: Asked): Promise<Response> {
  const { operation, operator } = handled;
  const path = pathIn(operation.path, (name) => req.param(name));
  if (typeof path === "string") return refusedInvalid(path);
  const query = queryIn(operation.query, new URL(req.url).searchParams);
  if (typeof query === "string") return refusedInvalid(query);
  const actionId = actionIdIn(req.header("idempotency-key"));
  if (actionId === undefined) return refusedInvalid("Idempotency-Key: 1 to 64 printable ASCII characters.");
  if (operation.method === "POST" && !isJson(req.header("content-type"), req.header("content-encoding"))) {
    return problem(415, "Unsupported media type", "Send application/json in UTF-8, as it is.");
  }
  const place = places.enter(operator.id);
  if (place === null) return problem(503, "Not available now", busy, { "retry-after": "1" });
  let isHandedOn = false;
  try {
    const reading = operation.method === "POST" ? await readBody(req.raw, controlBodyBytesMax) : noBody;
    if (!reading.ok) return reading.response;
    isHandedOn = true;
    const question = { operator, path, query, body: reading.bytes, actionId };
    return await inTime(ports, handled, question, place);
  } finally {
    if (!isHandedOn) place.leave();
  }
}

const noBody = { ok: true, bytes: new Uint8Array() } as const;

/** #2 #3 */
async function inTime(ports: ControlApiPorts, handled: Handled, question: Parameters<ControlHandler>[0], place: Place): Promise<Response> {
  const { promise: tooLate, resolve } = Promise.withResolvers<ControlAnswer>();
  let isLate = false;
  using _timer = ports.time.after(answerMaxMs, () => {
    isLate = true;
    resolve(late);
  });
  const work = handled.handler(question).then(
    (answer) => {
      if (answer.kind !== "text" || isLate) place.leave();
      return answer;
    },
    (error: unknown) => {
      place.leave();
      return failure(ports, handled, error);
    },
  );
  const answer = await Promise.race([work, tooLate]);
  return controlResponse(answer, { leave: () => place.leave(), broken: (error) => void failure(ports, handled, error) });
}

function failure({ log }: ControlApiPorts, { operation, operator }: Handled, error: unknown): ControlAnswer | "failed" {
  const fields = { operation: operation.name, operator: operator.id };
  if (!(error instanceof Fault)) {
    log.error("console.failed", { ...fields, error });
    return "failed";
  }
  log.warn("console.not-answered", { ...fields, code: error.code, reason: error.message });
  return { kind: "unavailable", detail: "What is needed for an answer is away. Ask again." };
}

function isJson(mediaType: string | undefined, encoding: string | undefined): boolean {
  const isPlain = encoding === undefined || /^identity$/i.test(encoding);
  return isPlain && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(mediaType ?? "");
}
