// Reads the part of a request that must be the same in every attempt of a message.

import type { IncomingMessage } from "node:http";
import { bankServedPaths } from "@sluice/testkit";
import type { AttemptContent } from "./recorder.ts";

/** For a path of no operation, `operation` is the method and the path. Rejects if the caller leaves before the end. */
export async function readBankRequest(request: IncomingMessage): Promise<AttemptContent> {
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
