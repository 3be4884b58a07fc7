// Makes operators' queries and decisions over the control API.
//
// #1 A decision is sent twice concurrently under one id, and each of the two is repeated while the console is down or
//    answers 503. So every decision here also proves that it counts once.
// #2 A decision that was answered 202 is recorded for the checker, under the key that the answer names.

import { createHash } from "node:crypto";
import { controlPrefix } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { request } from "undici";
import { expect } from "vitest";
import type { CallAnswer } from "./calls.ts";
import { type JsonBody, untilHolds } from "../recorded/evidence.ts";
import type { E2eEnvironment } from "../environment/environment.ts";

export interface OperatorDecision {
  readonly path: string;
  readonly id: string;
  readonly body: JsonBody;
}

const copies = 2;
/** Milliseconds within which a killed console is back, even on a busy machine. */
const patienceMs = 120_000;

/** Makes a query and expects 200. */
export async function askControl(environment: E2eEnvironment, who: string, path: string): Promise<JsonBody> {
  const { status, text } = await askControlText(environment, who, path);
  expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  const body: JsonBody = JSON.parse(text);
  return body;
}

/** Makes a query and returns any answer. */
export function askControlText(environment: E2eEnvironment, who: string, path: string): Promise<CallAnswer> {
  return call(environment, environment.operator(who).token, path, { method: "GET" });
}

/** #1 Sends a decision twice. Returns the key under which it was stored. */
export async function decideTwice(environment: E2eEnvironment, who: string, decision: OperatorDecision): Promise<string> {
  const answers = await Promise.all(Array.from({ length: copies }, () => decideOnce(environment, who, decision)));
  expect([decision.id, ...answers.map(({ status, text }) => (status === 202 ? 202 : text))]).toEqual([decision.id, 202, 202]);
  const accepted: JsonBody = JSON.parse(answers[0]?.text ?? "{}");
  return String(accepted["key"]);
}

/** Sends a decision once and returns any answer. */
export async function decideOnce(environment: E2eEnvironment, who: string, { path, id, body }: OperatorDecision): Promise<CallAnswer> {
  const sent = JSON.stringify(body);
  const headers = { "content-type": "application/json", "idempotency-key": id };
  const answer = await call(environment, environment.operator(who).token, path, { method: "POST", headers, body: sent });
  if (answer.status === 202) recordDecision(environment, who, id, sent, answer.text);
  return answer;
}

/** Waits until the decision has a result, and returns it. */
export async function untilDecided(environment: E2eEnvironment, key: string, id: string): Promise<JsonBody> {
  return await untilHolds(() => askControl(environment, "thandi", `/actions/${id}?key=${encodeURIComponent(key)}`));
}

/** Sends a decision and expects that it is applied. */
export async function decideAndApply(environment: E2eEnvironment, who: string, decision: OperatorDecision): Promise<void> {
  const key = await decideTwice(environment, who, decision);
  expect(await untilDecided(environment, key, decision.id)).toMatchObject({ id: decision.id, operator: who, result: "applied" });
}

interface Sent {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** #1 */
async function call(environment: E2eEnvironment, token: string, path: string, { headers = {}, ...sent }: Sent): Promise<CallAnswer> {
  const url = `${environment.services.controlUrl}${controlPrefix}${path}`;
  return await untilHolds(async () => {
    const answer = await request(url, { ...sent, headers: { ...headers, authorization: `Bearer ${token}` } });
    const text = await answer.body.text();
    expect([answer.statusCode, text]).not.toEqual([503, expect.anything()]);
    return { status: answer.statusCode, text };
  }, patienceMs);
}

/** #2 */
export function recordDecision({ recorded }: E2eEnvironment, who: string, id: string, body: string, answer: string): void {
  const accepted: JsonBody = JSON.parse(answer);
  const bytes = Buffer.from(body);
  const entry = { atMs: machineTime.nowMs(), bank: who, uetr: String(accepted["key"]), messageIdentification: id, status: 202 };
  const bodyHash = createHash("sha256").update(bytes).digest("hex");
  recorded.sent({ kind: "sent", operation: "operatorAction", ...entry, bodyHash }, bytes);
}

/** Returns the rows of an answer. */
export function readRows(body: JsonBody): readonly JsonBody[] {
  return readMembers(body, "rows");
}

export function readMembers(body: JsonBody | undefined, name: string): readonly JsonBody[] {
  const member = body?.[name];
  return Array.isArray(member) ? member : [];
}
