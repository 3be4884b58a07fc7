// What a request shows of its sender.

import type { ServedRequest } from "../http/served-request.ts";
import type { ClientConnection } from "../http/track-connections.ts";
import type { ShownCredentials } from "./tokens.ts";

/** `connection` is null for a call without one, as in tests. */
export function readShownCredentials(request: ServedRequest, connection: ClientConnection | null): ShownCredentials {
  return {
    authorization: request.header("authorization"),
    proof: request.header("dpop"),
    method: request.method,
    url: request.url,
    certificate: connection?.certificate ?? null,
  };
}
