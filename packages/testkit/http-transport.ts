// The way of a simulated bank or connector to ingress, over real HTTP.

import { Pool } from "undici";
import type { BankTransport } from "./bank-client.ts";

export interface HttpTransport extends BankTransport {
  /** Where ingress listens from now on. */
  callAt(ingressUrl: string): void;
}

/** `ingressUrl` null: set later, and until then no answer. */
export function createHttpTransport(ingressUrl: string | null, connections: number): HttpTransport {
  const open = (url: string): Pool => new Pool(url, { connections, pipelining: 1 });
  let pool = ingressUrl === null ? null : open(ingressUrl);
  return {
    callAt(url) {
      void pool?.destroy();
      pool = open(url);
    },
    async post(request, signal) {
      if (pool === null) return null;
      try {
        const answer = await pool.request({
          method: "POST",
          path: request.path,
          headers: { authorization: `Bearer ${request.token}`, "content-type": "application/json" },
          body: request.body,
          signal,
        });
        const retryAfter = answer.headers["retry-after"];
        return {
          status: answer.statusCode,
          retryAfter: typeof retryAfter === "string" ? retryAfter : null,
          body: new Uint8Array(await answer.body.arrayBuffer()),
        };
      } catch {
        // Whatever went wrong with the connection, the bank heard nothing.
        return null;
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}
