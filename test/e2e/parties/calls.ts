// Makes single calls to ingress and to the console.

import { createHash } from "node:crypto";
import { machineTime } from "@sluice/kernel";
import { encodeBody, type MessageJson } from "@sluice/testkit";
import { request } from "undici";
import type { E2eEnvironment } from "../environment/environment.ts";
import type { E2eCase } from "./flows.ts";

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

/** Posts a bank's own debit, and records it for the checker. */
export async function sendDebit(environment: E2eEnvironment, bank: string, token: string, debit: E2eCase): Promise<CallAnswer> {
  const { uetr, messageIdentification, message } = debit;
  const atMs = machineTime.nowMs();
  const answer = await sendToIngress(environment, token, "/transactions/outbound/direct-debit", message);
  const body = encodeBody(message);
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const of = { atMs, bank, operation: "outboundDirectDebit", uetr, messageIdentification } as const;
  environment.recorded.sent({ kind: "sent", ...of, bodyHash, status: answer.status }, body);
  return answer;
}

/** Gets a resource of the console. */
export async function askConsole(environment: E2eEnvironment, token: string, path: string): Promise<CallAnswer> {
  const answer = await request(`${environment.services.consoleUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, text: await answer.body.text() };
}
