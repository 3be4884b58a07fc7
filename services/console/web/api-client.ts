// What pages know of Sluice: the answers of the control API, asked for with the operator's own token.
//
// #1 A page asks as any client does: roles, limits, log lines and metrics are those of the control API.
// #2 Every answer is read by its schema, so that a page cannot show a member that the document does not have.

import { controlAnswers, controlPrefix } from "@sluice/contracts";
import type { ClientConnection } from "@sluice/service";

type Answers = typeof controlAnswers;
export type AnswerOf<Name extends keyof Answers> = ReturnType<Answers[Name]["parse"]>;

export interface ApiClient {
  /** Rejects with an `ApiRefusal`. */
  read<Name extends keyof Answers>(name: Name, path: string): Promise<AnswerOf<Name>>;
  /** Reads a JSON object that no schema is known of here. */
  readObject(path: string): Promise<Readonly<Record<string, unknown>>>;
  send(path: string, body: object, actionId: string): Promise<Readonly<Record<string, unknown>>>;
  /** What was asked for so far. */
  readonly calls: readonly string[];
}

/** An answer other than 200 and 202. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly title: string;
  readonly detail: string;

  constructor(status: number, title: string, detail: string) {
    super(`${status} ${title}: ${detail}`);
    this.name = "ApiRefusal";
    this.status = status;
    this.title = title;
    this.detail = detail;
  }
}

export interface ControlSide {
  fetch(request: Request, connection: ClientConnection | null): Promise<Response>;
}

/** The address is never resolved: the request stays in this process. */
const origin = "http://console";

export function createApiClient(control: ControlSide, token: string, connection: ClientConnection | null): ApiClient {
  const calls: string[] = [];
  const authorization = `Bearer ${token}`;

  async function ask(path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const response = await control.fetch(new Request(`${origin}${controlPrefix}${path}`, init), connection);
    if (response.ok) return await readObject(response);
    throw await readRefusal(response);
  }

  async function readAt(path: string): Promise<Readonly<Record<string, unknown>>> {
    calls.push(`GET ${controlPrefix}${path}`);
    return await ask(path, { headers: { authorization } });
  }

  return {
    calls,
    readObject: readAt,
    async read(name, path) {
      const answer: unknown = controlAnswers[name].parse(await readAt(path));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of this name has read it
      return answer as AnswerOf<typeof name>;
    },
    async send(path, body, actionId) {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const length = { "content-type": "application/json", "content-length": String(bytes.byteLength) };
      return await ask(path, { method: "POST", headers: { authorization, "idempotency-key": actionId, ...length }, body: bytes });
    },
  };
}

export async function readRefusal(response: Response): Promise<ApiRefusal> {
  const body = await readObject(response);
  return new ApiRefusal(response.status, asText(body["message"]), asText(body["detail"]));
}

async function readObject(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null ? { ...body } : {};
}

function asText(given: unknown): string {
  return typeof given === "string" ? given : "";
}
