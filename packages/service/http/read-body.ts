// Reads a request's body within a bound.
//
// #1 A request without a content-length is refused with 411, because a chunked body announces no size. A body above the
//    bound is refused with 413 before a byte is read.
// #2 Only the announced bytes are read: the server's HTTP parser passes no byte beyond the content-length, and refuses
//    a request with both a length and chunks. The server's `requestTimeoutMs` ends a body that arrives too slowly.

import { problemResponse } from "./problem.ts";
import type { ServedRequest } from "./served-request.ts";

export type BodyReading = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly response: Response };

export async function readBody(request: ServedRequest, bytesMax: number): Promise<BodyReading> {
  const announced = request.header("content-length");
  if (announced === null || request.header("transfer-encoding") !== null) {
    return refused(problemResponse(411, "Length required", "Send the body with a content-length header and without chunks."));
  }
  if (!/^\d+$/.test(announced)) return refused(problemResponse(400, "Bad length", "The content-length header is not a number."));
  if (Number(announced) > bytesMax) {
    return refused(problemResponse(413, "Too large", `A body may have at most ${bytesMax} bytes.`, { connection: "close" }));
  }
  let bytes: Uint8Array;
  try {
    bytes = await request.bytes();
  } catch {
    return refused(
      problemResponse(400, "Incomplete body", "The connection ended before the whole body had come.", { connection: "close" }),
    );
  }
  if (bytes.byteLength === Number(announced)) return { ok: true, bytes };
  return refused(problemResponse(400, "Bad length", "The body is not as long as the content-length header says."));
}

function refused(response: Response): BodyReading {
  return { ok: false, response };
}
