// The HTTP side of ingress. Before the message itself is read, these are checked in this order: path (404), method
// (405), token (401), the caller's connections and rate (429), the signature of a caller that must sign (401), whether
// the caller may send this at all (403), content type and encoding (415), room (429, 503), length and body (411, 413,
// 400), the digest that was signed (401), the key of the receipt (503).
//
// #1 An unknown caller learns nothing but that it is unknown, and its connection is closed: only a known caller may
//    keep connections.
// #2 A caller beyond its rate or its connections gets its 429 a moment later (`slowRefusalMs`), so that repeated
//    requests cost it more than us. At most `slowRefusalsMax` of each kind wait; a further one is answered at once.
// #3 Documents, which anybody may read, come after messages and have a bounded part of connections and bytes.
// #4 A message costs as little as it can: its request and its 202 have no objects of the Fetch API where they come over
//    a listener. What is judged, and how, is the same.

import {
  createDocumentShare,
  listRoutes,
  fromFetch,
  logInRefused,
  problemResponse,
  readBody,
  readShownCredentials,
  type DocumentShare,
  type Caller,
  type CallerMeter,
  type Callers,
  type ClientConnection,
  type DirectHandler,
  type PlainAnswer,
  type ServedRequest,
  type ServedRoute,
} from "@sluice/service";
import { joinTrace, sleep, type Time } from "@sluice/kernel";
import { Hono } from "hono";
import type { Admission } from "./admission.ts";
import { noRoomAnswers, tooManyAnswer, unavailableAnswer, type IngressAnswer, type Refusal } from "./answer.ts";
import { type JudgedHead, type SignatureJudge, signatureRefused } from "./message-signatures.ts";
import type { IngressOperation } from "../intake/operation.ts";
import type { IngressRequestReport } from "./request-report.ts";

export interface IngressApiPorts {
  readonly time: Time;
  readonly operations: readonly IngressOperation[];
  readonly callers: Callers;
  readonly meter: CallerMeter;
  readonly signatures: Pick<SignatureJudge, "judge">;
  readonly admission: Admission;
  readonly report: IngressRequestReport;
  /** Serves the interface's documents, which anybody may read; null for an address without a document. */
  readonly documents: ServedDocuments | null;
  /** Resolves once no message waits for its turn; false: that did not come in time. */
  readonly afterMessages: () => Promise<boolean>;
  /** Accepts a message for which there is room, and reports the request itself. */
  take(message: {
    readonly operation: IngressOperation["name"];
    readonly caller: string;
    readonly body: Uint8Array;
    /** A traceparent and, behind a blank, the tracestate that came with it; null: neither came. */
    readonly traceparent: string | null;
    readonly tokenId: string;
    readonly certificateId: string | null;
    readonly signatureKeyId: string | null;
    readonly remoteAddress: string | null;
  }): Promise<IngressAnswer>;
}

interface ServedDocuments {
  /** The addresses that have a document. */
  readonly paths: readonly string[];
  /** Whether there is a document at this address. */
  isServed(request: Request): boolean;
  fetch(request: Request): Promise<Response | null>;
}

export interface IngressApi {
  readonly routes: readonly ServedRoute[];
  /** `connection` is null for a call without one, as in tests. */
  fetch(request: Request, connection: ClientConnection | null): Promise<Response>;
  /** The messages' addresses without the Fetch API (#4). */
  readonly direct: (method: string, path: string) => DirectHandler | null;
}

type Environment = { readonly Bindings: { readonly connection: ClientConnection | null } };
interface Known {
  readonly operation: string | null;
  readonly caller: string | null;
  readonly tokenId: string | null;
  readonly certificateId: string | null;
  readonly signatureKeyId: string | null;
  readonly remoteAddress: string | null;
}

const bodyBytesMax = 256 * 1024;
const slowRefusalMs = 200;
const slowRefusalsMax = 64;

export function createIngressApi(ports: IngressApiPorts): IngressApi {
  const app = new Hono<Environment>();
  const share = createDocumentShare(ports.time);
  const slowly = { rate: createSlowRefusals(ports.time), connections: createSlowRefusals(ports.time) };
  const direct = new Map<string, DirectHandler>();
  for (const operation of ports.operations) {
    for (const path of operation.paths) {
      direct.set(path, (request, connection) => post(ports, slowly, operation, request, connection));
      app.post(path, async (context) =>
        toResponse(await post(ports, slowly, operation, fromFetch(context.req.raw), context.env.connection)),
      );
      app.all(path, (context) =>
        refused(
          ports,
          stranger(operation.name, context.env.connection),
          problemResponse(405, "Method not allowed", "Only POST.", { allow: "POST", ...close }),
        ),
      );
    }
  }
  app.notFound(async (context) => {
    const document = await serveDocument(ports, share, context.req.raw, context.env.connection);
    if (document === null)
      return refused(ports, stranger(null, context.env.connection), problemResponse(404, "Not found", "There is no such address.", close));
    // #1
    document.headers.set("connection", close.connection);
    return document;
  });
  const documents = (ports.documents?.paths ?? []).map((path) => ({ method: "GET", path }));
  return {
    routes: [...listRoutes(app), ...documents],
    fetch: async (request, connection) => await app.fetch(request, { connection }),
    direct: (method, path) => (method === "POST" ? (direct.get(path) ?? null) : null),
  };
}

/** #3 */
async function serveDocument(
  { documents, afterMessages }: IngressApiPorts,
  share: DocumentShare,
  request: Request,
  connection: ClientConnection | null,
): Promise<Response | null> {
  if (documents === null || !documents.isServed(request)) return null;
  return await share.serve(connection, async () => {
    if (await afterMessages()) return await documents.fetch(request);
    return problemResponse(503, "Not available now", "Messages come first. Ask again.", { "retry-after": "1" });
  });
}

const close = { connection: "close" } as const;

async function post(
  ports: IngressApiPorts,
  slowly: SlowRefusalsOf,
  operation: IngressOperation,
  request: ServedRequest,
  connection: ClientConnection | null,
): Promise<Response | PlainAnswer> {
  const loggedIn = await ports.callers.identify(readShownCredentials(request, connection));
  if (!loggedIn.ok) {
    const { holder, tokenId, certificateId, reason } = loggedIn;
    const known = { ...stranger(operation.name, connection), caller: holder, tokenId, certificateId };
    return refused(ports, known, logInRefused(loggedIn, "A known bearer token is needed."), holder === null ? null : reason);
  }
  const caller = loggedIn.holder;
  const { tokenId, certificateId } = caller;
  const source = { tokenId, certificateId, signatureKeyId: null, remoteAddress: connection?.remoteAddress ?? null };
  const known = { operation: operation.name, caller: caller.id, ...source };
  const excess = await checkShare(ports, slowly, caller, connection);
  if (excess !== null) return refused(ports, known, excess);
  const judged = ports.signatures.judge(caller.id, request);
  if (judged?.ok === false) return refused(ports, known, signatureRefused(judged.reason), judged.reason);
  const unfit = checkHead(operation, caller, request);
  if (unfit !== null) return refused(ports, known, unfit);
  return await postInRoom(
    ports,
    operation,
    request,
    { ...known, caller: caller.id, tokenId, signatureKeyId: judged?.message.keyId ?? null },
    judged,
  );
}

interface KnownSender extends Known {
  readonly caller: string;
  readonly tokenId: string;
}

async function postInRoom(
  ports: IngressApiPorts,
  operation: IngressOperation,
  request: ServedRequest,
  known: KnownSender,
  judged: Extract<JudgedHead, { readonly ok: true }> | null,
): Promise<Response | PlainAnswer> {
  const room = ports.admission.enter(known.caller, announcedBytes(request));
  if (typeof room === "string") return refused(ports, known, responseTo(noRoomAnswers[room]));
  try {
    const reading = await readBody(request, bodyBytesMax);
    if (!reading.ok) return refused(ports, known, reading.response);
    if (judged?.message.isBody(reading.bytes) === false) return refused(ports, known, signatureRefused("digest-wrong"), "digest-wrong");
    const receipt = (await judged?.message.openReceipt()) ?? null;
    if (receipt === "not-read") return refused(ports, known, responseTo(noReceiptAnswer));
    const parent = request.header("traceparent");
    const traceparent = parent === null ? null : joinTrace(parent, request.header("tracestate"));
    const answer = await ports.take({ ...known, operation: operation.name, body: reading.bytes, traceparent });
    if (answer.status !== 202) return responseTo(answer);
    return receipt === null ? accepted : { ...accepted, headers: { ...accepted.headers, ...receipt.sign() } };
  } finally {
    room[Symbol.dispose]();
  }
}

const noReceiptAnswer = unavailableAnswer("The receipt cannot be signed. The message was not stored. Send it again.");

async function checkShare(
  { meter }: IngressApiPorts,
  slowly: SlowRefusalsOf,
  { id }: Caller,
  connection: ClientConnection | null,
): Promise<Response | null> {
  if (!meter.takeConnection(id, connection)) {
    await slowly.connections.wait(id);
    return responseTo(tooManyAnswer("You hold too many connections."), close);
  }
  const waitSeconds = meter.takeRequest(id);
  if (waitSeconds === null) return null;
  await slowly.rate.wait(id);
  return responseTo(tooManyAnswer("You send too many requests a second.", waitSeconds));
}

function checkHead(operation: IngressOperation, caller: Caller, request: ServedRequest): Response | null {
  if (caller.kind !== operation.sender) {
    const sender = operation.sender === "bank" ? "a bank" : "a scheme connector";
    return problemResponse(403, "Not allowed", `Only ${sender} sends this.`);
  }
  if (!isJson(request.header("content-type"))) return problemResponse(415, "Unsupported media type", "Send application/json in UTF-8.");
  const encoding = request.header("content-encoding");
  if (encoding === null || /^identity$/i.test(encoding)) return null;
  return problemResponse(415, "Unsupported content encoding", "Send the body as it is, without content-encoding.", {
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

const accepted: PlainAnswer = { status: 202, headers: { "content-length": "0" } };

function toResponse(answer: Response | PlainAnswer): Response {
  return answer instanceof Response ? answer : new Response(null, answer);
}

function responseTo(answer: Refusal, more: Readonly<Record<string, string>> = {}): Response {
  const headers: Record<string, string> = answer.retryAfterSeconds === null ? {} : { "retry-after": String(answer.retryAfterSeconds) };
  return problemResponse(answer.status, answer.error.message, answer.error.detail, { ...headers, ...more });
}

function stranger(operation: string | null, connection: ClientConnection | null): Known {
  return {
    operation,
    caller: null,
    tokenId: null,
    certificateId: null,
    signatureKeyId: null,
    remoteAddress: connection?.remoteAddress ?? null,
  };
}

/** Reports a request that ends before its message was read. */
function refused(ports: IngressApiPorts, known: Known, response: Response, refusal: string | null = null): Response {
  ports.report({
    ...known,
    status: response.status,
    refusal,
    detail: null,
    bytes: 0,
    tookMs: 0,
    traceparent: null,
    subject: null,
    outcome: null,
  });
  return response;
}

function isJson(contentType: string | null): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? "");
}

/** The bytes to reserve room for; a body that `readBody` refuses needs none. */
function announcedBytes(request: ServedRequest): number {
  const announced = Number(request.header("content-length") ?? 0);
  return Number.isInteger(announced) && announced >= 0 && announced <= bodyBytesMax ? announced : 0;
}
