// Hands the requests of a listener to its service, and sends the answers: by @hono/node-server, with the objects of the
// Fetch API, or without them where the service asks for that.
//
// #1 Without them goes what has a plain path of a handler's own and a plain host. All other requests go the other way,
//    so that a target or a host is judged in one place.
// #2 Every answer but the plain one is sent by @hono/node-server. It also reads what is left of a body that nobody
//    wanted.
// #3 An exception in a handler is logged and answered with 500. It never ends the process.

import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Logger } from "@sluice/kernel";
import { problemResponse } from "./problem.ts";
import { fromNode, type ServedRequest } from "./served-request.ts";
import type { ClientConnection, TrackedConnections } from "./track-connections.ts";

/** An answer without a body. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export type DirectHandler = (request: ServedRequest, connection: ClientConnection) => Promise<Response | PlainAnswer>;

export interface RequestHandlers {
  fetch(request: Request, connection: ClientConnection): Response | Promise<Response>;
  /** Returns the handler of a path that is answered without the Fetch API; null: `fetch` answers it. */
  readonly direct?: (method: string, path: string) => DirectHandler | null;
}

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export function createRequestListener(handlers: RequestHandlers, connections: TrackedConnections, logger: Logger): Handle {
  const { direct } = handlers;
  /** #3 */
  const toResponse = (error: unknown): Response => {
    if (error instanceof Error && error.name === "RequestError")
      return problemResponse(400, "Bad request", "The request line or host is not valid.");
    logger.error("http.handler-failed", { error });
    return problemResponse(500, "Internal error", "The request could not be processed.");
  };
  const options = { overrideGlobalObjects: false, errorHandler: toResponse };
  const byFetch = getRequestListener((request, { incoming }) => handlers.fetch(request, connections.find(incoming.socket)), options);

  /** #2 */
  function send(incoming: IncomingMessage, outgoing: ServerResponse, answer: Response | PlainAnswer): void {
    if (answer instanceof Response) void getRequestListener(() => answer, options)(incoming, outgoing);
    else outgoing.writeHead(answer.status, answer.headers).end();
  }

  /** #3: also for an answer that cannot be sent. */
  function fail(incoming: IncomingMessage, outgoing: ServerResponse, error: unknown): void {
    const answer = toResponse(error);
    if (outgoing.headersSent) outgoing.destroy();
    else send(incoming, outgoing, answer);
  }

  return (incoming, outgoing) => {
    const handler = direct === undefined || !hasPlainHost(incoming) ? null : direct(incoming.method ?? "", incoming.url ?? "");
    if (handler === null) void byFetch(incoming, outgoing);
    else
      void handler(fromNode(incoming), connections.find(incoming.socket))
        .then((answer) => send(incoming, outgoing, answer))
        .catch((error: unknown) => fail(incoming, outgoing, error));
  };
}

/** A name or an address in lower case, with a port of four or five digits if any: what no reader takes for another. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** #1 */
function hasPlainHost({ headers: { host = "" } }: IncomingMessage): boolean {
  return plainHost.test(host);
}
