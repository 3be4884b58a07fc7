// Files that a page offers: an export of the control API, for the session of who asks.

import { controlPrefix } from "@sluice/contracts";
import type { ClientConnection } from "@sluice/service";
import { ApiRefusal, askAs, readRefusal, type ControlSide } from "./api-client.ts";
import type { SessionAccess } from "./sessions/sessions.ts";

/** Exports by the name that is in their address. */
const exports: ReadonlyMap<string, (query: URLSearchParams) => string> = new Map([
  ["transactions", (query: URLSearchParams) => `/transactions/export?${query.toString()}`],
  ["reconciliation", (query: URLSearchParams) => `/reconciliation/export?${query.toString()}`],
  ["audit", (query: URLSearchParams) => `/actions/export?${query.toString()}`],
  ["evidence", evidencePath],
  ["events", eventsPath],
]);

function evidencePath(query: URLSearchParams): string {
  const { uetr = "", ...rest } = Object.fromEntries(query);
  return `/transactions/${encodeURIComponent(uetr)}/evidence?${new URLSearchParams(rest).toString()}`;
}

function eventsPath(query: URLSearchParams): string {
  const { bank = "", ...rest } = Object.fromEntries(query);
  return `/banks/${encodeURIComponent(bank)}/events/export?${new URLSearchParams(rest).toString()}`;
}

/** Rejects with an `ApiRefusal`. */
export async function download(control: ControlSide, access: SessionAccess, url: URL, name: string, connection: ClientConnection | null) {
  const path = exports.get(name)?.(url.searchParams);
  if (path === undefined) throw new ApiRefusal(404, "Not known", "There is no such file.");
  const answer = await askAs(control, access, connection)(`${url.origin}${controlPrefix}${path}`);
  if (!answer.ok) throw await readRefusal(answer);
  const contentType = answer.headers.get("content-type") ?? "text/csv";
  const ending = /^[a-z]+\/(?:x-)?(csv|json|ndjson|xml)/.exec(contentType)?.[1] ?? "txt";
  const headersOfFile = { "content-type": contentType, "content-disposition": `attachment; filename="${name}.${ending}"` };
  return new Response(answer.body, { headers: headersOfFile });
}
