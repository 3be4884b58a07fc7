// Single calls to ingress and console, as anyone may make them.

import { bodyOf } from "@sluice/testkit";
import type { Json } from "@sluice/testkit";
import { request } from "undici";
import type { World } from "./world.ts";

export interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

export async function send(world: World, token: string, path: string, message: Json): Promise<CallAnswer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await request(`${world.services.ingressUrl}${path}`, { method: "POST", headers, body: bodyOf(message) });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Of the console. */
export async function ask(world: World, token: string, path: string): Promise<CallAnswer> {
  const answer = await request(`${world.services.consoleUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, text: await answer.body.text() };
}
