// Refuses request heads that two readers could understand in two ways, before anything else reads them.
//
// #1 More headers than `headersMax`, because Node would silently drop the rest.
// #2 A repeated header that may occur once, because Node would take the first one and a proxy in front of it perhaps
//    the last.
// #3 A request without a host, with one that is no part of an address, with an expectation other than 100-continue, or
//    of a version other than 1.0 and 1.1.
// #4 A path with a segment `.` or `..`, also percent-encoded, because a proxy in front may have checked another path.

import type { IncomingMessage } from "node:http";
import { problemBody, type ProblemStatus } from "./problem.ts";

export interface HeadRefusal {
  readonly status: ProblemStatus;
  readonly body: string;
}

const singleHeaders = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "dpop",
  "expect",
  "host",
  "transfer-encoding",
]);

/** Returns why the head is refused; null if it is accepted. `rawHeaders` holds names and values in turn. */
export function refuseHead(
  request: Pick<IncomingMessage, "rawHeaders" | "httpVersion" | "headers" | "url">,
  headersMax: number,
): HeadRefusal | null {
  const { rawHeaders } = request;
  if (rawHeaders.length > 2 * headersMax) return refusal(431, "Headers too many", `A request may have at most ${headersMax} headers.`);
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return refusal(400, "Bad request", `The header ${name} is given twice.`);
    seen.add(name);
  }
  if (!seen.has("host")) return refusal(400, "Bad request", "The request names no host.");
  if (!URL.canParse(`http://${request.headers.host}`)) return refusal(400, "Bad request", "The host is no name and no address.");
  if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0") return refusal(400, "Bad request", "Only HTTP/1.1 is spoken here.");
  if (dotSegment.test(request.url ?? "")) return refusal(400, "Bad request", "The path has a part . or .. in it.");
  return /^(100-continue)?$/i.test(request.headers.expect ?? "") ? null : expectationRefusal;
}

/** A dot segment before any query or fragment. */
const dotSegment = /^[^?#]*?[/\\](\.|%2e){1,2}([/\\?#]|$)/i;

export const expectationRefusal = refusal(400, "Bad request", "No expectation but 100-continue can be met.");

function refusal(status: ProblemStatus, message: string, detail: string): HeadRefusal {
  return { status, body: problemBody(message, detail) };
}
