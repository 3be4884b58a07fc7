// The HTTP side of ingress. What is judged, in this order, before the message itself is looked at: path (404), method (405), token (401),
// connections and rate of the caller (429), whether it may send this at all (403), content type and encoding (415), room (429, 503),
// length and body (411, 413, 400).
//
// #1 A caller that is not known learns nothing but that, and its connection is closed: only a known one may keep connections.
// #2 A caller beyond its rate or its connections gets its 429 a moment later (`slowRefusalMs`), so that asking again and again costs it more
//    than us; at most `slowRefusalsMax` of each kind wait, a further one is answered at once.

import { problem, readBody, type Caller, type CallerMeter, type Callers, type Connection } from "@sluice/http";
import { sleep, type Time } from "@sluice/runtime";
import { Hono } from "hono";
import type { Admission } from "./admission.ts";
import { noRoom, tooMany, type IngressAnswer } from "./answer.ts";
import type { Operation } from "./operation.ts";
import type { RequestReport } from "./request-report.ts";

export interface HttpApiPorts {
  readonly time: Time;
  readonly operations: readonly Operation[];
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly admission: Admission;
  readonly report: RequestReport;
  /** What anybody may read: the interface's documents. It answers null for an address of none. */
  readonly documents: ((request: Request) => Promise<Response | null>) | null;
  /** Takes a message for which there is room; reports on it itself. */
  take(message: {
    readonly operation: Operation["name"];
    readonly caller: string;
    readonly body: Uint8Array;
    readonly traceparent: string | null;
  }): Promise<IngressAnswer>;
}

export interface HttpApi {
  /** Null: a call without a connection, as in tests. */
  fetch(request: Request, connection: Connection | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: Connection | null } };
interface Known {
  readonly operation: string | null;
  readonly bank: string | null;
}

export const bodyBytesMax = 256 * 1024;
const slowRefusalMs = 200;
const slowRefusalsMax = 64;

export function ingressApi(ports: HttpApiPorts): HttpApi {
  const app = new Hono<Environment>();
  const slowly = { rate: createSlowRefusals(ports.time), connections: createSlowRefusals(ports.time) };
  for (const operation of ports.operations) {
    for (const path of operation.paths) {
      app.post(path, (context) => post(ports, slowly, operation, context.req.raw, context.env.connection));
      app.all(path, () =>
        refused(
          ports,
          { operation: operation.name, bank: null },
          problem(405, "Method not allowed", "Only POST.", { allow: "POST", ...close }),
        ),
      );
    }
  }
  app.notFound(async (context) => {
    const document = ports.documents === null ? null : await ports.documents(context.req.raw);
    if (document === null)
      return refused(ports, { operation: null, bank: null }, problem(404, "Not found", "There is no such address.", close));
    // #1
    document.headers.set("connection", close.connection);
    return document;
  });
  return { fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

const close = { connection: "close" } as const;

async function post(
  ports: HttpApiPorts,
  slowly: SlowRefusalsOf,
  operation: Operation,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  const caller = ports.callers.identify(request.headers.get("authorization"));
  const known = { operation: operation.name, bank: caller?.id ?? null };
  if (caller === null) {
    const challenge = { "www-authenticate": "Bearer", ...close };
    return refused(ports, known, problem(401, "Not authenticated", "A known bearer token is needed.", challenge));
  }
  const excess = await judgeShare(ports, slowly, caller, connection);
  if (excess !== null) return refused(ports, known, excess);
  const unfit = judgeHead(operation, caller, request);
  if (unfit !== null) return refused(ports, known, unfit);
  const room = ports.admission.enter(caller.id, announcedBytes(request));
  if (typeof room === "string") return refused(ports, known, responseTo(noRoom[room]));
  using _room = room;
  const reading = await readBody(request, bodyBytesMax);
  if (!reading.ok) return refused(ports, known, reading.response);
  const traceparent = request.headers.get("traceparent");
  return responseTo(await ports.take({ operation: operation.name, caller: caller.id, body: reading.bytes, traceparent }));
}

async function judgeShare(
  { meter }: HttpApiPorts,
  slowly: SlowRefusalsOf,
  { id }: Caller,
  connection: Connection | null,
): Promise<Response | null> {
  if (!meter.connection(id, connection)) {
    await slowly.connections.wait(id);
    return responseTo(tooMany("You hold too many connections."), close);
  }
  const waitSeconds = meter.request(id);
  if (waitSeconds === null) return null;
  await slowly.rate.wait(id);
  return responseTo(tooMany("You send too many requests a second.", waitSeconds));
}

function judgeHead(operation: Operation, caller: Caller, request: Request): Response | null {
  if (caller.kind !== operation.sender) {
    const sender = operation.sender === "bank" ? "a bank" : "a scheme connector";
    return problem(403, "Not allowed", `Only ${sender} sends this.`);
  }
  if (!isJson(request.headers.get("content-type"))) return problem(415, "Unsupported media type", "Send application/json in UTF-8.");
  const encoding = request.headers.get("content-encoding");
  if (encoding === null || /^identity$/i.test(encoding)) return null;
  return problem(415, "Unsupported content encoding", "Send the body as it is, without content-encoding.", {
    "accept-encoding": "identity",
  });
}

interface SlowRefusalsOf {
  readonly rate: SlowRefusals;
  readonly connections: SlowRefusals;
}

interface SlowRefusals {
  wait(caller: string): Promise<void>;
}

function createSlowRefusals(time: Time): SlowRefusals {
  const waiting = new Map<string, number>();
  return {
    async wait(caller) {
      const before = waiting.get(caller) ?? 0;
      if (before >= slowRefusalsMax) return;
      waiting.set(caller, before + 1);
      await sleep(time, slowRefusalMs);
      const after = (waiting.get(caller) ?? 1) - 1;
      if (after === 0) waiting.delete(caller);
      else waiting.set(caller, after);
    },
  };
}

function responseTo(answer: IngressAnswer, more: Readonly<Record<string, string>> = {}): Response {
  if (answer.status === 202) return new Response(null, { status: 202, headers: { "content-length": "0" } });
  const headers: Record<string, string> = answer.retryAfterSeconds === null ? {} : { "retry-after": String(answer.retryAfterSeconds) };
  return problem(answer.status, answer.error.message, answer.error.detail, { ...headers, ...more });
}

/** A request that ends before its message was looked at is reported here. */
function refused(ports: HttpApiPorts, known: Known, response: Response): Response {
  ports.report({ ...known, status: response.status, detail: null, bytes: 0, tookMs: 0, traceparent: null, subject: null, outcome: null });
  return response;
}

function isJson(contentType: string | null): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? "");
}

/** What `readBody` will refuse needs no room. */
function announcedBytes(request: Request): number {
  const announced = Number(request.headers.get("content-length") ?? 0);
  return Number.isInteger(announced) && announced >= 0 && announced <= bodyBytesMax ? announced : 0;
}
