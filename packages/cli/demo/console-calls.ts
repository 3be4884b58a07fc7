// How the people of the demo day ask the console and decide: its control API over HTTP, and what its answers say.
//
// Each decision has an id of its own and is sent until it is answered: a console that is away for a moment changes nothing.

import { Fault, sleep, type Time } from "@sluice/runtime";
import type { DemoOperator } from "./demo-configuration.ts";

export interface ConsolePorts {
  readonly time: Time;
  readonly operators: readonly DemoOperator[];
  readonly controlUrl: string;
  readonly signal: AbortSignal;
}

const lookAgainMs = 400;
const answerTimeoutMs = 5_000;
const waitMaxMs = 60_000;
const accepted = 202;

export function memberAt(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function arrayAt(value: unknown, name: string): readonly unknown[] {
  const member = memberAt(value, name);
  return Array.isArray(member) ? member : [];
}

export function textAt(value: unknown, name: string): string {
  const member = memberAt(value, name);
  return typeof member === "string" ? member : "";
}

export function numberAt(value: unknown, name: string): number | null {
  const member = memberAt(value, name);
  return typeof member === "number" ? member : null;
}

/** Null: the time for it is over. */
export async function until<T>({ time, signal }: ConsolePorts, look: () => Promise<T | null>): Promise<T | null> {
  const deadlineMs = time.monotonicMs() + waitMaxMs;
  while (!signal.aborted && time.monotonicMs() < deadlineMs) {
    const found = await look();
    if (found !== null) return found;
    await sleep(time, lookAgainMs, signal);
  }
  return null;
}

export interface Asked {
  readonly path: string;
  readonly id: string;
  readonly body: object;
}

/** What is refused is a problem of the demo. */
export async function post(ports: ConsolePorts, operator: DemoOperator | undefined, { path, id, body }: Asked): Promise<readonly string[]> {
  const headers = { "content-type": "application/json", "idempotency-key": id };
  const answer = await until(ports, () => ask(ports, operator, path, { method: "POST", headers, body: JSON.stringify(body) }));
  if (answer?.status === accepted) return [];
  return [`${operator?.name ?? "nobody"}: ${path} was answered ${answer === null ? "nothing" : `${answer.status} ${answer.text}`}`];
}

export async function get(ports: ConsolePorts, operator: DemoOperator | undefined, path: string): Promise<unknown> {
  const answer = await until(ports, () => ask(ports, operator, path, { method: "GET" }));
  if (answer === null) throw new Fault("demo.no-console", `the console did not answer ${path}`, { isRetryable: false });
  if (answer.status !== 200)
    throw new Fault("demo.no-console", `${path} was answered ${answer.status} ${answer.text}`, { isRetryable: false });
  const body: unknown = JSON.parse(answer.text);
  return body;
}

/** Null: not reached, or not now. */
export async function ask(
  { controlUrl, time }: ConsolePorts,
  operator: DemoOperator | undefined,
  path: string,
  { headers = {}, ...request }: { readonly method: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const authorization = `Bearer ${operator?.token ?? ""}`;
    const tooLate = new AbortController();
    using _timer = time.after(answerTimeoutMs, () => tooLate.abort());
    const answer = await fetch(`${controlUrl}${path}`, { ...request, headers: { ...headers, authorization }, signal: tooLate.signal });
    return answer.status >= 500 ? null : { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}
