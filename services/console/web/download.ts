// Files that a page offers: an export of the control API, for the session of who asks.

import { controlPrefix } from "@sluice/contracts";
import type { ClientConnection } from "@sluice/service";
import { ApiRefusal, readRefusal, type ControlSide } from "./api-client.ts";

/** Exports by the name that is in their address. */
const exports = new Map([
  ["transactions", "/transactions/export"],
  ["reconciliation", "/reconciliation/export"],
]);

/** Rejects with an `ApiRefusal`. */
export async function download(control: ControlSide, token: string, url: URL, name: string, connection: ClientConnection | null) {
  const path = exports.get(name);
  if (path === undefined) throw new ApiRefusal(404, "Not known", "There is no such file.");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await control.fetch(new Request(`${url.origin}${controlPrefix}${path}${url.search}`, { headers }), connection);
  if (!answer.ok) throw await readRefusal(answer);
  const contentType = answer.headers.get("content-type") ?? "text/csv";
  const ending = /^[a-z]+\/(csv|json|xml)/.exec(contentType)?.[1] ?? "txt";
  const headersOfFile = { "content-type": contentType, "content-disposition": `attachment; filename="${name}.${ending}"` };
  return new Response(answer.body, { headers: headersOfFile });
}
