// What a request shows of its sender.

import type { ClientConnection } from "../http/track-connections.ts";
import type { ShownCredentials } from "./tokens.ts";

/** `connection` is null for a call without one, as in tests. */
export function readShownCredentials({ headers, method, url }: Request, connection: ClientConnection | null): ShownCredentials {
  return {
    authorization: headers.get("authorization"),
    proof: headers.get("dpop"),
    method,
    url,
    certificate: connection?.certificate ?? null,
  };
}
