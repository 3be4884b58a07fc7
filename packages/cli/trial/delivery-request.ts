// What a bank of a trial reads of a request: all that must be the same on every attempt.

import type { IncomingMessage } from "node:http";
import { bankServedPaths } from "@sluice/testkit";
import type { SameOnEveryAttempt } from "./delivery-heard.ts";

/** An address that no operation has is told as it is. Rejects where the caller leaves in the middle. */
export async function messageIn(request: IncomingMessage): Promise<SameOnEveryAttempt> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const header = (name: string): string => String(request.headers[name] ?? "");
  return {
    id: header("webhook-id"),
    idempotencyKey: header("idempotency-key"),
    operation: bankServedPaths[request.url ?? ""] ?? `${request.method} ${request.url}`,
    body: Buffer.concat(chunks),
    sequence: header("sluice-sequence"),
    previousId: header("sluice-previous-id"),
  };
}
