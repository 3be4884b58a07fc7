// What is refused of a request's head before anything reads it, because two readers could take it in two ways.
//
// 1. More headers than `headersMax`: Node would drop the rest without a word.
// 2. A header that may stand once and stands twice: Node would take the first, something in front of it perhaps the last.
// 3. A request without a host, with an expectation other than 100-continue, or of a version other than 1.0 and 1.1.
// 4. A target with `.` or `..` as a part of its path, also percent-encoded: what stands in front may have judged another path.

import type { IncomingMessage } from "node:http";
import { problemText, type ProblemStatus } from "./problem.ts";

export interface HeadRefusal {
  readonly status: ProblemStatus;
  readonly body: string;
}

const once = new Set(["authorization", "content-encoding", "content-length", "content-type", "expect", "host", "transfer-encoding"]);

/** `rawHeaders`: names and values in turn. Null: nothing is wrong. */
export function refuseHead(
  request: Pick<IncomingMessage, "rawHeaders" | "httpVersion" | "headers" | "url">,
  headersMax: number,
): HeadRefusal | null {
  const { rawHeaders } = request;
  if (rawHeaders.length > 2 * headersMax) return refusal(431, "Headers too many", `A request may have at most ${headersMax} headers.`);
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (!once.has(name)) continue;
    if (seen.has(name)) return refusal(400, "Bad request", `The header ${name} is given twice.`);
    seen.add(name);
  }
  if (!seen.has("host")) return refusal(400, "Bad request", "The request names no host.");
  if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0") return refusal(400, "Bad request", "Only HTTP/1.1 is spoken here.");
  if (dotSegment.test(request.url ?? "")) return refusal(400, "Bad request", "The path has a part . or .. in it.");
  return /^(100-continue)?$/i.test(request.headers.expect ?? "") ? null : expectationRefusal;
}

/** Before a query or fragment. */
const dotSegment = /^[^?#]*?[/\\](\.|%2e){1,2}([/\\?#]|$)/i;

export const expectationRefusal = refusal(400, "Bad request", "No expectation but 100-continue can be met.");

function refusal(status: ProblemStatus, message: string, detail: string): HeadRefusal {
  return { status, body: problemText(message, detail) };
}
