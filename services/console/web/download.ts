// Files that a page offers: an export of the control API, for the session of who asks.

import { controlPrefix } from "@sluice/contracts";
import type { ClientConnection } from "@sluice/service";
import { ApiRefusal, readRefusal, type ControlSide } from "./api-client.ts";

/** Exports by the name that is in their address. */
const exports: Readonly<Record<string, string>> = { transactions: "/transactions/export", reconciliation: "/reconciliation/export" };

/** Rejects with an `ApiRefusal`. */
export async function download(control: ControlSide, token: string, url: URL, name: string, connection: ClientConnection | null) {
  const path = exports[name];
  if (path === undefined) throw new ApiRefusal(404, "Not known", "There is no such file.");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await control.fetch(new Request(`${url.origin}${controlPrefix}${path}${url.search}`, { headers }), connection);
  if (!answer.ok) throw await readRefusal(answer);
  return new Response(answer.body, {
    headers: {
      "content-type": answer.headers.get("content-type") ?? "text/csv",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
}
