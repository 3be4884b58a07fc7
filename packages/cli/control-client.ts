// The control API as the verbs for operators call it: over HTTP alone, as any other program would.
//
// #1 Where it is: --console, else SLUICE_CONTROL_URL, else what `./sluice up` started. Who asks: SLUICE_OPERATOR_TOKEN, else the sample
//    operator of infra/local/sluice.yaml, whose token is sent to a loopback address alone.
// #2 A refusal is a Fault that says what the console says; nothing is asked again by itself.

import { controlPrefix } from "@sluice/contracts";
import { Fault } from "@sluice/runtime";
import { readUpState } from "./up-state.ts";
import type { Call, RunVerb } from "./verbs.ts";

export type Body = Readonly<Record<string, unknown>>;
export type Query = Readonly<Record<string, string | null>>;

export interface ControlClient {
  get(path: string, query?: Query): Promise<Body>;
  /** Its text as it comes; for files. */
  text(path: string, query?: Query): AsyncIterable<string>;
  /** A decision, appended when it is answered. `actionId`: sent again under the same one, it is decided once. */
  post(path: string, body: Body, actionId: string): Promise<Body>;
}

/** What a verb for operators speaks to: tests put another in its place. */
export interface ControlTerminal {
  out(text: string): void;
  /** As it is, without a line's end. */
  write(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Null: nothing is up. */
  upControlUrl(): Promise<string | null>;
  fetch(url: string, request: RequestInit): Promise<Response>;
}

export const controlTerminal: ControlTerminal = {
  out: (text) => void process.stdout.write(`${text}\n`),
  write: (text) => void process.stdout.write(text),
  environment: process.env,
  upControlUrl: async () => (await readUpState())?.controlUrl ?? null,
  fetch: (url, request) => fetch(url, request),
};

export type RunControlVerb = (call: Call, where: ControlTerminal) => Promise<number>;

export function asControlVerb(run: RunControlVerb): RunVerb {
  return (call) => run(call, controlTerminal);
}

/** Of infra/local/sluice.yaml, which holds its SHA-256. It opens nothing but a developer's own machine. */
const sampleToken = "sample-operator-token";
const answerTimeoutMs = 10_000;
/** A file of many pages. */
const fileTimeoutMs = 10 * 60_000;

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function controlClient(call: Pick<Call, "value">, where: ControlTerminal): Promise<ControlClient> {
  const base = await baseUrl(call, where);
  const headers = { authorization: `Bearer ${tokenFor(base, where)}` };

  async function ask(path: string, query: Query, request: Sent, timeoutMs: number): Promise<Response> {
    const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
    const search = new URLSearchParams(given).toString();
    const url = `${base}${controlPrefix}${path}${search === "" ? "" : `?${search}`}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await where.fetch(url, { ...request, headers: { ...headers, ...request.headers }, signal }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Fault("cli.console-away", `the console does not answer at ${base}: ${reason}`, { isRetryable: true });
    });
    if (answer.ok) return answer;
    throw await refusalOf(answer);
  }

  return {
    get: async (path, query = {}) => await bodyOf(await ask(path, query, {}, answerTimeoutMs)),
    async *text(path, query = {}) {
      const answer = await ask(path, query, {}, fileTimeoutMs);
      const decoder = new TextDecoder();
      for await (const part of answer.body ?? []) yield decoder.decode(part, { stream: true });
    },
    async post(path, body, actionId) {
      const sent = { "content-type": "application/json", "idempotency-key": actionId };
      return await bodyOf(await ask(path, {}, { method: "POST", body: JSON.stringify(body), headers: sent }, answerTimeoutMs));
    },
  };
}

/** #1 */
async function baseUrl(call: Pick<Call, "value">, where: ControlTerminal): Promise<string> {
  const given = call.value("console") ?? where.environment["SLUICE_CONTROL_URL"] ?? (await where.upControlUrl());
  if (given === null || given === "") {
    const how = "start with ./sluice up, or name the console by --console URL or SLUICE_CONTROL_URL";
    throw new Fault("cli.not-up", `nothing is up, or not all of it: ${how}`, { isRetryable: false });
  }
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault("cli.no-address", `${given} is no address of a console (http://host:port)`, { isRetryable: false });
  }
  return url.href.replace(/\/+$/, "").replace(/\/control\/v1$/, "");
}

/** #1 */
function tokenFor(base: string, { environment }: ControlTerminal): string {
  const token = environment["SLUICE_OPERATOR_TOKEN"] ?? "";
  if (token !== "") return token;
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(base).hostname)) return sampleToken;
  throw new Fault("cli.no-token", "an operator's token must be in SLUICE_OPERATOR_TOKEN", { isRetryable: false });
}

/** #2 */
async function refusalOf(answer: Response): Promise<Fault> {
  const body = await bodyOf(answer).catch((): Body => ({}));
  const said = [body["message"], body["detail"]].filter((text) => typeof text === "string").join(": ");
  const isRetryable = answer.status === 503 || answer.status === 429;
  return new Fault(answer.status === 404 ? "cli.not-known" : "cli.refused", `the console answers ${answer.status} ${said}`.trimEnd(), {
    isRetryable,
  });
}

async function bodyOf(answer: Response): Promise<Body> {
  const body: unknown = await answer.json().catch(() => null);
  if (typeof body !== "object" || body === null) {
    throw new Fault("cli.no-answer", `what answers is no console: ${answer.status}`, { isRetryable: false });
  }
  return { ...body };
}
