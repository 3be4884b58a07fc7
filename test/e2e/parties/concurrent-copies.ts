// Sends copies of one message concurrently over many connections, each until it is answered 202.

import { createHash } from "node:crypto";
import { machineTime, sleep } from "@sluice/kernel";
import { bankCallPaths, connectorCallPaths, encodeBody, type MessageJson } from "@sluice/testkit";
import { Pool } from "undici";
import type { E2eEnvironment } from "../environment/environment.ts";

export interface ConcurrentCopies {
  readonly sender: string;
  readonly operation: "outboundDirectDebit" | "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly message: MessageJson;
  readonly copies: number;
}

export interface ConcurrentAnswers {
  /** The number of answers by status; "none" counts attempts without an answer. */
  readonly counts: ReadonlyMap<number | "none", number>;
  /** The distinct bodies of the 202s. */
  readonly bodies: ReadonlySet<string>;
  /** The number of copies that were never answered 202. */
  readonly unanswered: number;
}

const connections = 250;
const attemptsMax = 200;
const answerTimeoutMs = 5_000;
const pauseMs = 250;

export async function sendConcurrently(environment: E2eEnvironment, token: string, many: ConcurrentCopies): Promise<ConcurrentAnswers> {
  const path = (many.operation === "outboundDirectDebit" ? bankCallPaths : connectorCallPaths)[many.operation] ?? "";
  const body = encodeBody(many.message);
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const pool = new Pool(environment.services.ingressUrl, {
    connections,
    pipelining: 1,
    bodyTimeout: answerTimeoutMs,
    headersTimeout: answerTimeoutMs,
  });
  const counts = new Map<number | "none", number>();
  const bodies = new Set<string>();
  const { sender, operation, uetr, messageIdentification } = many;

  async function attempt(): Promise<number | null> {
    const atMs = machineTime.nowMs();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await pool.request({ method: "POST", path, headers, body }).catch(() => null);
    const text = await answer?.body.text().catch(() => null);
    const status = answer === null || text === null ? null : answer.statusCode;
    environment.recorded.sent({ kind: "sent", atMs, bank: sender, operation, uetr, messageIdentification, bodyHash, status }, body);
    counts.set(status ?? "none", (counts.get(status ?? "none") ?? 0) + 1);
    if (status === 202) bodies.add(text ?? "");
    return status;
  }

  async function untilTaken(): Promise<boolean> {
    for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
      if ((await attempt()) === 202) return true;
      await sleep(machineTime, pauseMs);
    }
    return false;
  }

  try {
    const taken = await Promise.all(Array.from({ length: many.copies }, untilTaken));
    return { counts, bodies, unanswered: taken.filter((isTaken) => !isTaken).length };
  } finally {
    await pool.destroy();
  }
}
