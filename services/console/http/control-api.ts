// The HTTP side of the control API. Before anything is looked up or appended, a request is checked in this order:
// path (404), method (405), token (401), connections and rate of the operator (429), role and bank (403), address and
// query (400), idempotency key (400), media type (415), capacity (503), body (411, 413, 400), audit (503).
//
// #1 A caller that is not a known operator learns nothing but that. Banks and connectors are not known here.
// #2 A request keeps its slot until all its work has ended, an export until its last part was sent
//    (`request-slots.ts`).
// #3 A decision is answered 202 only when its handler reports that the record was appended. A failure on the way is
//    503 or 500, and the decision may be sent again.
// #4 An operator of one bank is refused before anything is looked up: no answer shows whether another bank exists.
// #5 An operator of some schemes is refused before anything is looked up, where the operation or what the address and
//    the query name is not of these schemes. What only the store knows is judged in `within-schemes.ts`.

import {
  controlOperations,
  controlPrefix,
  refuseScheme,
  type ControlOperation,
  type ControlOperationName,
  type ControlRole,
} from "@sluice/contracts";
import {
  createDocumentShare,
  listRoutes,
  problemResponse,
  fromFetch,
  readBody,
  readShownCredentials,
  type CallerMeter,
  type ClientConnection,
  type LogIn,
  type ServedRoute,
  type SignedIn,
  type TokenHolder,
  type Tokens,
  type UsedCredentials,
} from "@sluice/service";
import { Fault, type Logger, type Time, formatReason } from "@sluice/kernel";
import { Hono, type Context } from "hono";
import { toControlResponse, invalidRequestResponse } from "./control-response.ts";
import { controlBodyBytesMax, type ControlAnswer, type ControlHandler, type ControlHandlers, type Operator } from "./control-handler.ts";
import { parseActionId, parsePathParts, parseQuery } from "./control-parameters.ts";
import { createOperatorSlots, type OperatorSlots } from "./operator-slots.ts";
import type { RequestSlot } from "./request-slots.ts";
import { type QuestionReport, type ReportedAnswer, reportRefused } from "./request-report.ts";
import type { ControlAudit } from "./control-audit.ts";

interface KnownOperator extends TokenHolder {
  readonly name: string;
  readonly person: string;
  readonly roles: readonly ControlRole[];
  readonly bank: string | null;
  readonly schemes: readonly string[] | null;
}

export interface ControlApiPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly operators: Pick<Tokens<KnownOperator>, "identify">;
  readonly identifySignedIn: (person: SignedIn, connection: ClientConnection | null) => LogIn<KnownOperator>;
  readonly meter: CallerMeter;
  readonly handlers: ControlHandlers;
  readonly report: QuestionReport;
  readonly audit: ControlAudit;
  /** The OpenAPI document, which is served without a token; null: it is not served. */
  readonly document: string | null;
}

export interface ControlApi {
  readonly routes: readonly ServedRoute[];
  /**
   * `connection` is null for a call without one, as in tests. `signedIn` is who asks by a page after a sign-in at the
   * provider; nothing that comes over a connection can give it.
   */
  fetch(request: Request, connection: ClientConnection | null, signedIn?: SignedIn | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: ClientConnection | null; readonly signedIn: SignedIn | null } };
type Asked = Context<Environment>;
type Operation = ControlOperation & { readonly name: ControlOperationName };

/** Requests that are handled at once. */
const placeLimits = {
  own: { slotsMax: 128, slotsPerCallerMax: 16 },
  banks: { slotsMax: 32, slotsPerCallerMax: 4 },
} as const;
const answerMaxMs = 8_000;
const close = { connection: "close" } as const;
const tokenNeeded = "A bearer token of an operator is needed: a configured one, or that of a sign-in (./sluice login PROFILE).";
const busy = "Too many questions are under way. Ask again.";
const notRecorded = "It could not be recorded in the audit, so nothing was done. Ask again; a decision under the same Idempotency-Key.";
const late: ControlAnswer = {
  kind: "unavailable",
  detail: "The answer did not come in time. Ask again; a decision under the same Idempotency-Key.",
};

export function createControlApi(ports: ControlApiPorts): ControlApi {
  const app = new Hono<Environment>();
  const places = createOperatorSlots(placeLimits);
  if (ports.document !== null) {
    const { document } = ports;
    const share = createDocumentShare(ports.time);
    const bytes = new TextEncoder().encode(document);
    const headers = { "content-type": "application/json", "content-length": String(bytes.byteLength), ...close };
    app.get(`${controlPrefix}/openapi.json`, async ({ env, notFound }) => {
      const served = await share.serve(env.connection, () => Promise.resolve(new Response(bytes, { headers })));
      served?.headers.set("connection", close.connection);
      return served ?? notFound();
    });
  }
  for (const [path, operations] of groupByPath(ports.handlers)) {
    for (const operation of operations) {
      const handler = ports.handlers[operation.name];
      if (handler === undefined) continue;
      app.on(operation.method, path, (context) =>
        ports.report({ operation: operation.name, uetr: context.req.param("uetr") ?? null, connection: context.env.connection }, () =>
          answerRequest(ports, places, operation, handler, context),
        ),
      );
    }
    const allow = operations.map(({ method }) => method).join(", ");
    app.all(path, ({ env }) =>
      refuseUnknown(ports, env.connection, problemResponse(405, "Method not allowed", `Only ${allow}.`, { allow, ...close })),
    );
  }
  app.notFound(({ env }) => refuseUnknown(ports, env.connection, problemResponse(404, "Not found", "There is no such address.", close)));
  return {
    routes: listRoutes(app),
    fetch: async (request, connection, signedIn = null) => await app.fetch(request, { connection, signedIn }),
  };
}

/** Groups the operations that have a handler by their path, in the router's notation. */
function groupByPath(handlers: ControlHandlers): ReadonlyMap<string, readonly Operation[]> {
  const served: readonly Operation[] = controlOperations.filter(({ name }) => handlers[name] !== undefined);
  return Map.groupBy(served, ({ path }) => `${controlPrefix}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
}

function refuseUnknown({ report }: ControlApiPorts, connection: ClientConnection | null, response: Response): Promise<Response> {
  return report({ operation: null, uetr: null, connection }, () => Promise.resolve({ caller: null, response }));
}

async function answerRequest(
  ports: ControlApiPorts,
  places: OperatorSlots,
  operation: Operation,
  handler: ControlHandler,
  asked: Asked,
): Promise<ReportedAnswer> {
  // The router treats HEAD as GET, and the body of the answer would never be read.
  if (asked.req.method === "HEAD") {
    return { caller: null, response: problemResponse(405, "Method not allowed", "Only GET.", { allow: "GET", ...close }) };
  }
  const { connection, signedIn } = asked.env;
  const loggedIn =
    signedIn === null
      ? await ports.operators.identify(readShownCredentials(fromFetch(asked.req.raw), connection))
      : ports.identifySignedIn(signedIn, connection);
  if (!loggedIn.ok) return reportRefused(loggedIn, tokenNeeded);
  const known = loggedIn.holder;
  const operator = {
    id: known.id,
    name: known.name,
    person: known.person,
    roles: new Set(known.roles),
    bank: known.bank,
    schemes: known.schemes,
  };
  const refused =
    checkOperator(ports, operation, operator, asked.env.connection) ?? checkBank(operation, operator, asked.req.param("bank"));
  const credentials = { tokenId: known.tokenId, certificateId: known.certificateId };
  if (refused !== null) return { caller: known.id, ...credentials, response: refused };
  const handled = { operation, handler, operator, credentials };
  return { caller: known.id, ...credentials, response: await checkAndHandle(ports, places, handled, asked) };
}

function checkOperator(
  { meter }: ControlApiPorts,
  { role }: Operation,
  operator: Operator,
  connection: ClientConnection | null,
): Response | null {
  if (!meter.takeConnection(operator.id, connection)) {
    return problemResponse(429, "Too many", "You hold too many connections.", { "retry-after": "1", ...close });
  }
  const waitSeconds = meter.takeRequest(operator.id);
  if (waitSeconds !== null) {
    return problemResponse(429, "Too many", "You send too many requests a second.", { "retry-after": String(waitSeconds) });
  }
  return operator.roles.has(role) ? null : problemResponse(403, "Not allowed", `This needs the role ${role}.`);
}

/** #4 */
function checkBank({ forBank }: Operation, { bank }: Operator, asked: string | undefined): Response | null {
  if (bank === null) return null;
  const isOwn = forBank === true && (asked === undefined || asked === bank);
  return isOwn ? null : problemResponse(403, "Not allowed", "An operator of one bank has only what is below that bank.");
}

interface HandledOperation {
  readonly operation: Operation;
  readonly handler: ControlHandler;
  readonly operator: Operator;
  readonly credentials: UsedCredentials;
}

async function checkAndHandle(
  ports: ControlApiPorts,
  places: OperatorSlots,
  handled: HandledOperation,
  { req, env }: Asked,
): Promise<Response> {
  const { operation, operator, credentials } = handled;
  const path = parsePathParts(operation.path, (name) => req.param(name));
  if (typeof path === "string") return invalidRequestResponse(path);
  const query = parseQuery(operation.query, new URL(req.url).searchParams);
  if (typeof query === "string") return invalidRequestResponse(query);
  // #5
  const foreign = refuseScheme(operation.name, operator.schemes, { path, query });
  if (foreign !== null) return problemResponse(403, "Not allowed", foreign);
  const actionId = parseActionId(req.header("idempotency-key"));
  if (actionId === undefined) return invalidRequestResponse("Idempotency-Key: 1 to 64 printable ASCII characters.");
  if (operation.method === "POST" && !isTaken(operation, req.header("content-type"), req.header("content-encoding"))) {
    const taken = operation.takesYaml === true ? "application/yaml or application/json" : "application/json";
    return problemResponse(415, "Unsupported media type", `Send ${taken} in UTF-8, as it is.`);
  }
  const place = places.acquire(operator);
  if (place === null) return problemResponse(503, "Not available now", busy, { "retry-after": "1" });
  let isHandedOn = false;
  try {
    const reading = operation.method === "POST" ? await readBody(fromFetch(req.raw), controlBodyBytesMax) : noBody;
    if (!reading.ok) return reading.response;
    const question = { operator, path, query, body: reading.bytes, actionId };
    const audited = { operation, question, credentials, connection: env.connection };
    if (!(await ports.audit.admit(audited))) return problemResponse(503, "Not available now", notRecorded, { "retry-after": "1" });
    isHandedOn = true;
    const response = await handleInTime(ports, handled, question, place);
    ports.audit.answered(audited, response.status);
    return response;
  } finally {
    if (!isHandedOn) place.release();
  }
}

const noBody = { ok: true, bytes: new Uint8Array() } as const;

/** #2 #3 */
async function handleInTime(
  ports: ControlApiPorts,
  handled: HandledOperation,
  question: Parameters<ControlHandler>[0],
  place: RequestSlot,
): Promise<Response> {
  const { promise: tooLate, resolve } = Promise.withResolvers<ControlAnswer>();
  let isLate = false;
  using _timer = ports.time.after(answerMaxMs, () => {
    isLate = true;
    resolve(late);
  });
  const work = handled.handler(question).then(
    (answer) => {
      if (answer.kind !== "text" || isLate) place.release();
      return answer;
    },
    (error: unknown) => {
      place.release();
      return reportFailure(ports, handled, error);
    },
  );
  const answer = await Promise.race([work, tooLate]);
  return toControlResponse(answer, { onEnd: () => place.release(), onError: (error) => void reportFailure(ports, handled, error) });
}

function reportFailure({ logger }: ControlApiPorts, { operation, operator }: HandledOperation, error: unknown): ControlAnswer | "failed" {
  const fields = { operation: operation.name, operator: operator.id };
  if (!(error instanceof Fault)) {
    logger.error("console.failed", { ...fields, error });
    return "failed";
  }
  logger.warn("console.not-answered", { ...fields, code: error.code, reason: formatReason(error) });
  if (error.code === "store.too-slow") return { kind: "unavailable", detail: tooSlow };
  return { kind: "unavailable", detail: `${awayTexts[error.code.split(".")[0] ?? ""] ?? awayText} Ask again.` };
}

/** What does not answer, by the first word of the fault's code: an operator has to know where to look. */
const awayTexts: Readonly<Record<string, string>> = {
  store: "The store does not answer.",
  messaging: "The broker does not answer.",
  secrecy: "The key service does not answer.",
};
const tooSlow = "The store gave this question up, because it took too long. Ask a narrower one: of a day, a bank or a state.";
const awayText = "What is needed for an answer is away.";

function isTaken({ takesYaml }: Operation, mediaType: string | undefined, encoding: string | undefined): boolean {
  const isPlain = encoding === undefined || /^identity$/i.test(encoding);
  const form = /^application\/(json|yaml)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.exec(mediaType ?? "");
  return isPlain && form !== null && (takesYaml === true || form[1]?.toLowerCase() === "json");
}
