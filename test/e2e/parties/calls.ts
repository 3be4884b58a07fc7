// Makes single calls to ingress and to the console.

import { encodeBody, type MessageJson } from "@sluice/testkit";
import { request } from "undici";
import type { E2eEnvironment } from "../environment/environment.ts";

export interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

/** Posts a message to ingress. */
export async function sendToIngress(environment: E2eEnvironment, token: string, path: string, message: MessageJson): Promise<CallAnswer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await request(`${environment.services.ingressUrl}${path}`, { method: "POST", headers, body: encodeBody(message) });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Gets a resource of the console. */
export async function askConsole(environment: E2eEnvironment, token: string, path: string): Promise<CallAnswer> {
  const answer = await request(`${environment.services.consoleUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, text: await answer.body.text() };
}
