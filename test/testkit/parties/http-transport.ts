// Posts the requests of a simulated bank or connector to ingress over real HTTP.

import { Pool } from "undici";
import type { PartyTransport } from "./client.ts";

export interface HttpTransport extends PartyTransport {
  /** Sets the origin of ingress for all further requests. */
  setIngressUrl(ingressUrl: string): void;
}

/** Creates a transport. If `ingressUrl` is null, requests get no answer until `setIngressUrl` sets it. */
export function createHttpTransport(ingressUrl: string | null, connections: number): HttpTransport {
  const open = (url: string): Pool => new Pool(url, { connections, pipelining: 1 });
  let pool = ingressUrl === null ? null : open(ingressUrl);
  return {
    setIngressUrl(url) {
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
        // Whatever failed on the connection, the party got no answer.
        return null;
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}
