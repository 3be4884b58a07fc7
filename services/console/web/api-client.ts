// What pages know of Sluice: the answers of the control API, asked for as the operator of the session.
//
// #1 A page asks as any client does: roles, limits, log lines and metrics are those of the control API.
// #2 Every answer is read by its schema, so that a page cannot show a member that the document does not have.

import { controlPrefix } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import type { ClientConnection, SignedIn } from "@sluice/service";
import type { SessionAccess } from "./sessions/sessions.ts";

type Answers = typeof controlAnswers;
export type AnswerOf<Name extends keyof Answers> = ReturnType<Answers[Name]["parse"]>;

export interface ApiClient {
  /** Rejects with an `ApiRefusal`. */
  read<Name extends keyof Answers>(name: Name, path: string): Promise<AnswerOf<Name>>;
  /** Asks about a file, which is sent as it is. Rejects with an `ApiRefusal`. */
  readOfFile<Name extends keyof Answers>(name: Name, path: string, file: string): Promise<AnswerOf<Name>>;
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
  /** `signedIn` is who signed in at the provider; null, or left out: the request has a token, or nothing. */
  fetch(request: Request, connection: ClientConnection | null, signedIn?: SignedIn | null): Promise<Response>;
}

/** The address is never resolved: the request stays in this process. */
const origin = "http://console";

/** Asks the control API as the session's operator. */
export function askAs(
  control: ControlSide,
  access: SessionAccess,
  connection: ClientConnection | null,
): (url: string, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const request = new Request(url, init);
    if (access.kind === "signed-in") return await control.fetch(request, connection, access.person);
    request.headers.set("authorization", `Bearer ${access.token}`);
    return await control.fetch(request, connection);
  };
}

export function createApiClient(control: ControlSide, access: SessionAccess, connection: ClientConnection | null): ApiClient {
  const calls: string[] = [];
  const asked = askAs(control, access, connection);

  async function ask(path: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> {
    const response = await asked(`${origin}${controlPrefix}${path}`, init);
    if (response.ok) return await readObject(response);
    throw await readRefusal(response);
  }

  async function readAt(path: string): Promise<Readonly<Record<string, unknown>>> {
    calls.push(`GET ${controlPrefix}${path}`);
    return await ask(path);
  }

  function parseAs<Name extends keyof Answers>(name: Name, given: object): AnswerOf<Name> {
    const answer: unknown = controlAnswers[name].parse(given);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of this name has read it
    return answer as AnswerOf<Name>;
  }

  return {
    calls,
    readObject: readAt,
    read: async (name, path) => parseAs(name, await readAt(path)),
    async readOfFile(name, path, file) {
      calls.push(`POST ${controlPrefix}${path}`);
      const bytes = new TextEncoder().encode(file);
      const headers = { "content-type": "application/yaml", "content-length": String(bytes.byteLength) };
      return parseAs(name, await ask(path, { method: "POST", headers, body: bytes }));
    },
    async send(path, body, actionId) {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const length = { "content-type": "application/json", "content-length": String(bytes.byteLength) };
      return await ask(path, { method: "POST", headers: { "idempotency-key": actionId, ...length }, body: bytes });
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
