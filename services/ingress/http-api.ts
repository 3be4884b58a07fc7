// The HTTP side of ingress. What is judged, in this order, before the message itself is looked at: path (404), method (405), token (401),
// content type (415), room (503), length and body (411, 413, 400). A caller who is not known learns nothing but that.

import type { Configuration } from "@sluice/config";
import { createCallers, problem, readBody, type Callers } from "@sluice/http";
import type { Time } from "@sluice/runtime";
import { Hono } from "hono";
import type { Admission } from "./admission.ts";
import { tooMuch, type IngressAnswer } from "./answer.ts";
import type { Operation } from "./operation.ts";
import type { RequestReport } from "./request-report.ts";

export interface HttpApiPorts {
  readonly time: Time;
  readonly configuration: Configuration;
  readonly operations: readonly Operation[];
  readonly admission: Admission;
  readonly report: RequestReport;
  /** Takes a message for which there is room; reports on it itself. */
  take(message: {
    readonly operation: Operation["name"];
    readonly caller: string;
    readonly body: Uint8Array;
    readonly traceparent: string | null;
  }): Promise<IngressAnswer>;
}

export const bodyBytesMax = 256 * 1024;

export function ingressApi(ports: HttpApiPorts): { fetch(request: Request): Promise<Response> } {
  const callers = createCallers(ports.configuration.banks);
  const app = new Hono();
  for (const operation of ports.operations) {
    for (const path of operation.paths) {
      app.post(path, (context) => post(ports, callers, operation, context.req.raw));
      app.all(path, () =>
        refused(ports, { operation: operation.name, bank: null }, problem(405, "Method not allowed", "Only POST.", { allow: "POST" })),
      );
    }
  }
  app.notFound(() => refused(ports, { operation: null, bank: null }, problem(404, "Not found", "There is no such address.")));
  return { fetch: async (request) => await app.fetch(request) };
}

async function post(ports: HttpApiPorts, callers: Callers, operation: Operation, request: Request): Promise<Response> {
  const bank = callers.identify(request.headers.get("authorization"));
  const known = { operation: operation.name, bank };
  if (bank === null) {
    const challenge = { "www-authenticate": "Bearer" };
    return refused(ports, known, problem(401, "Not authenticated", "A known bearer token is needed.", challenge));
  }
  if (!isJson(request.headers.get("content-type"))) {
    return refused(ports, known, problem(415, "Unsupported media type", "Send application/json in UTF-8."));
  }
  using room = ports.admission.enter(announcedBytes(request));
  if (room === null) return refused(ports, known, responseTo(tooMuch));
  const reading = await readBody(request, bodyBytesMax);
  if (!reading.ok) return refused(ports, known, reading.response);
  const traceparent = request.headers.get("traceparent");
  return responseTo(await ports.take({ operation: operation.name, caller: bank, body: reading.bytes, traceparent }));
}

function responseTo(answer: IngressAnswer): Response {
  if (answer.status === 202) return new Response(null, { status: 202 });
  const headers: Record<string, string> = answer.retryAfterSeconds === null ? {} : { "retry-after": String(answer.retryAfterSeconds) };
  return problem(answer.status, answer.error.message, answer.error.detail, headers);
}

/** A request that ends before its message was looked at is reported here. */
function refused(
  ports: HttpApiPorts,
  known: { readonly operation: string | null; readonly bank: string | null },
  response: Response,
): Response {
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
