// What operators ask of a world and decide in it, over the control API.
//
// #1 A decision is sent twice at once under one id, and each of the two again while the console is away or cannot tell; so everything that is
//    decided here is also a proof that it counts once.
// #2 What was answered 202 is recorded for the checker, under the key that the answer names.

import { createHash } from "node:crypto";
import { controlPrefix } from "@sluice/contracts";
import { machineTime } from "@sluice/runtime";
import { request } from "undici";
import { expect } from "vitest";
import type { CallAnswer } from "./calls.ts";
import { until } from "./evidence.ts";
import type { Body } from "./evidence.ts";
import type { World } from "./world.ts";

export interface Decision {
  readonly path: string;
  readonly id: string;
  readonly body: Body;
}

const copies = 2;
/** A console that was killed is back within this, also on a machine that has other work. */
const patienceMs = 120_000;

/** A question; the answer of a console that is there. */
export async function look(world: World, who: string, path: string): Promise<Body> {
  const { status, text } = await lookText(world, who, path);
  expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  const body: Body = JSON.parse(text);
  return body;
}

/** The same, whatever is answered. */
export function lookText(world: World, who: string, path: string): Promise<CallAnswer> {
  return call(world, world.operator(who).token, path, { method: "GET" });
}

/** #1 Answers the key that it was stored under. */
export async function decide(world: World, who: string, decision: Decision): Promise<string> {
  const answers = await Promise.all(Array.from({ length: copies }, () => decideOnce(world, who, decision)));
  expect([decision.id, ...answers.map(({ status, text }) => (status === 202 ? 202 : text))]).toEqual([decision.id, 202, 202]);
  const accepted: Body = JSON.parse(answers[0]?.text ?? "{}");
  return String(accepted["key"]);
}

/** The same, once; whatever is answered. */
export async function decideOnce(world: World, who: string, { path, id, body }: Decision): Promise<CallAnswer> {
  const sent = JSON.stringify(body);
  const headers = { "content-type": "application/json", "idempotency-key": id };
  const answer = await call(world, world.operator(who).token, path, { method: "POST", headers, body: sent });
  if (answer.status === 202) note(world, who, id, sent, answer.text);
  return answer;
}

/** What came of it, once it was judged. */
export async function untilJudged(world: World, key: string, id: string): Promise<Body> {
  return await until(() => look(world, "thandi", `/actions/${id}?key=${encodeURIComponent(key)}`));
}

/** Decided and applied. */
export async function carryOut(world: World, who: string, decision: Decision): Promise<void> {
  const key = await decide(world, who, decision);
  expect(await untilJudged(world, key, decision.id)).toMatchObject({ id: decision.id, operator: who, result: "applied" });
}

interface Sent {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** #1 */
async function call(world: World, token: string, path: string, { headers = {}, ...sent }: Sent): Promise<CallAnswer> {
  const url = `${world.services.controlUrl}${controlPrefix}${path}`;
  return await until(async () => {
    const answer = await request(url, { ...sent, headers: { ...headers, authorization: `Bearer ${token}` } });
    const text = await answer.body.text();
    expect([answer.statusCode, text]).not.toEqual([503, expect.anything()]);
    return { status: answer.statusCode, text };
  }, patienceMs);
}

/** #2 */
function note({ recorded }: World, who: string, id: string, body: string, answer: string): void {
  const accepted: Body = JSON.parse(answer);
  const bytes = Buffer.from(body);
  const entry = { atMs: machineTime.nowMs(), bank: who, uetr: String(accepted["key"]), messageIdentification: id, status: 202 };
  const bodyHash = createHash("sha256").update(bytes).digest("hex");
  recorded.sent({ kind: "sent", operation: "operatorAction", ...entry, bodyHash }, bytes);
}

/** The rows of an answer. */
export function rowsOf(body: Body): readonly Body[] {
  return membersOf(body, "rows");
}

export function membersOf(body: Body | undefined, name: string): readonly Body[] {
  const member = body?.[name];
  return Array.isArray(member) ? member : [];
}
