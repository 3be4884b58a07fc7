// Client of the console for the operators of the demo day. They ask the control API, and decide by it too, or by the
// pages where they sign in at a provider.
//
// #1 Each decision has an id and is sent until it is answered, so a console that is away for a moment changes nothing.

import { Fault, sleep, type Time } from "@sluice/kernel";
import type { DemoOperator } from "../environment/configuration.ts";
import type { OperatorDesk } from "./operator-desk.ts";

export interface ConsoleClientPorts {
  readonly time: Time;
  readonly operators: readonly DemoOperator[];
  readonly controlUrl: string;
  /** Left out or null: operators decide by the control API. */
  readonly desk?: OperatorDesk | null;
  readonly signal: AbortSignal;
}

const lookAgainMs = 400;
const answerTimeoutMs = 5_000;
const waitMaxMs = 60_000;
const accepted = 202;
/** The pages lead on to the result. */
const decided = 303;

export function getMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function getArray(value: unknown, name: string): readonly unknown[] {
  const member = getMember(value, name);
  return Array.isArray(member) ? member : [];
}

export function getText(value: unknown, name: string): string {
  const member = getMember(value, name);
  return typeof member === "string" ? member : "";
}

export function getNumber(value: unknown, name: string): number | null {
  const member = getMember(value, name);
  return typeof member === "number" ? member : null;
}

/** Calls `look` until it returns a value; returns null after the time limit. */
export async function pollConsole<T>({ time, signal }: ConsoleClientPorts, look: () => Promise<T | null>): Promise<T | null> {
  const deadlineMs = time.monotonicMs() + waitMaxMs;
  while (!signal.aborted && time.monotonicMs() < deadlineMs) {
    const found = await look();
    if (found !== null) return found;
    await sleep(time, lookAgainMs, signal);
  }
  return null;
}

export interface DecisionRequest {
  readonly path: string;
  readonly id: string;
  readonly body: { readonly reason: string } & Readonly<Record<string, unknown>>;
  /** The page of the decision, and what is filled in there; null: it is made by the control API alone. */
  readonly form: { readonly page: string; readonly fields: Readonly<Record<string, string>> } | null;
}

/** Sends a decision until it is answered. A refusal is a problem of the demo. */
export async function postDecision(
  ports: ConsoleClientPorts,
  operator: DemoOperator | undefined,
  { path, id, body, form }: DecisionRequest,
): Promise<readonly string[]> {
  const { desk = null } = ports;
  if (desk !== null && form !== null && operator !== undefined) {
    const shown = await pollConsole(ports, () => desk.decide(operator, { ...form, reason: body.reason }));
    if (shown?.status === decided) return [];
    const refusal = /class="problem"[^>]*>(?:<p>)?([^<]*)/.exec(shown?.text ?? "")?.[1] ?? "";
    return [`${operator.name}: ${form.page} was answered ${shown === null ? "nothing" : `${shown.status} ${refusal}`}`];
  }
  const headers = { "content-type": "application/json", "idempotency-key": id };
  const answer = await pollConsole(ports, () =>
    requestConsole(ports, operator, path, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  if (answer?.status === accepted) return [];
  return [`${operator?.name ?? "nobody"}: ${path} was answered ${answer === null ? "nothing" : `${answer.status} ${answer.text}`}`];
}

export async function fetchFromConsole(ports: ConsoleClientPorts, operator: DemoOperator | undefined, path: string): Promise<unknown> {
  const answer = await pollConsole(ports, () => requestConsole(ports, operator, path, { method: "GET" }));
  if (answer === null) throw new Fault("demo.no-console", `the console did not answer ${path}`, { isRetryable: false });
  if (answer.status !== 200)
    throw new Fault("demo.no-console", `${path} was answered ${answer.status} ${answer.text}`, { isRetryable: false });
  const body: unknown = JSON.parse(answer.text);
  return body;
}

/** Returns null if the console cannot be reached or answers with 5xx. */
export async function requestConsole(
  { controlUrl, time }: ConsoleClientPorts,
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
