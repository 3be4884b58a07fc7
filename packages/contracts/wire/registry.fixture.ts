// Test fixture: the part of the registry's Confluent API that Sluice uses, on a real port, with the faults that a real
// registry showed.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface FakeRegistry extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path` of every request, in order. */
  readonly requests: readonly string[];
  readonly levels: ReadonlyMap<string, string>;
  /** Answers one request that fits, in place of the registry. */
  intervene(fits: (request: string) => boolean, status: number, body: object): void;
  /** Answers requests that fit only once `count` of them wait, and from then on at once. */
  holdUntil(count: number, fits: (request: string) => boolean): void;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * Starts a registry that behaves as Apicurio does: a subject without a level has NONE once it exists and 404 before.
 */
export async function startFakeRegistry(levels: Map<string, string> = new Map()): Promise<FakeRegistry> {
  const requests: string[] = [];
  const ids = new Map<string, number>();
  /** Subject and schema of each version. */
  const versions = new Set<string>();
  const held: (() => void)[] = [];
  const notHolding = { count: 0, fits: (_request: string) => false };
  let holding = notHolding;
  const interventions: { fits: (request: string) => boolean; answer: Answer }[] = [];

  function answerTo(request: string, body: string): Answer {
    const index = interventions.findIndex(({ fits }) => fits(request));
    const [intervention] = index < 0 ? [] : interventions.splice(index, 1);
    if (intervention !== undefined) return intervention.answer;
    const subject = decodeURIComponent(/^\w+ \/(?:config|subjects)\/([^/]+)/.exec(request)?.[1] ?? "");
    if (request.startsWith("GET /config/")) {
      const compatibilityLevel = levels.get(subject);
      return compatibilityLevel === undefined ? notFound : { status: 200, body: { compatibilityLevel } };
    }
    if (request.startsWith("PUT /config/")) {
      const asked: { readonly compatibility: string } = JSON.parse(body);
      levels.set(subject, asked.compatibility);
      return { status: 200, body: asked };
    }
    if (request.startsWith("POST /subjects/")) {
      const { schema }: { readonly schema: string } = JSON.parse(body);
      const registered = `${subject} ${schema}`;
      const known = ids.get(schema);
      if (!request.endsWith("/versions")) {
        return known !== undefined && versions.has(registered) ? { status: 200, body: { subject, id: known, schema } } : notFound;
      }
      const id = known ?? ids.size + 100;
      ids.set(schema, id);
      versions.add(registered);
      if (!levels.has(subject)) levels.set(subject, "NONE");
      return { status: 200, body: { id } };
    }
    const found = [...ids].find(([, id]) => request === `GET /schemas/ids/${id}`);
    return found === undefined ? notFound : { status: 200, body: { schema: found[0] } };
  }

  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    let body = "";
    incoming.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    incoming.on("end", () => {
      const request = `${incoming.method ?? ""} ${(incoming.url ?? "").replace("/apis/ccompat/v7", "")}`;
      requests.push(request);
      const answer = answerTo(request, body);
      const send = (): void =>
        void outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      if (!holding.fits(request)) return send();
      held.push(send);
      if (held.length < holding.count) return;
      holding = notHolding;
      for (const sendHeld of held.splice(0)) sendHeld();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/apis/ccompat/v7`,
    requests,
    levels,
    intervene: (fits, status, body) => interventions.push({ fits, answer: { status, body } }),
    holdUntil: (count, fits) => void (holding = { count, fits }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const notFound: Answer = { status: 404, body: { error_code: 40401, message: "not found" } };
