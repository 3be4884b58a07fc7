// Bounds what serving documents to anybody may cost a process that has callers to serve.
//
// #1 At most `sendingMax` documents are sent at once, each counted until its connection is closed.
// #2 In the mean `bytesPerSecond` are sent. What a document has beyond that is owed, and until it is paid the next one
//    is refused. Documents are taken one after the other, so that each is counted before the next is looked at.
// #3 Beyond either the answer is 503 with Retry-After, at little cost.

import type { Time } from "@sluice/kernel";
import { problemResponse } from "./problem.ts";
import type { ClientConnection } from "./track-connections.ts";

export interface DocumentShare {
  /** `document` returns null if there is none at this address. */
  serve(connection: ClientConnection | null, document: () => Promise<Response | null>): Promise<Response | null>;
}

const sendingMax = 16;
const bytesPerSecond = 1024 * 1024;
/** Enough for a first visit of the page: the viewer has 1.7 MB. */
const bytesAtOnceMax = 4 * 1024 * 1024;

export function createDocumentShare(time: Time): DocumentShare {
  let sending = 0;
  let bytesFree = bytesAtOnceMax;
  let filledAtMs = time.monotonicMs();
  let before: Promise<unknown> = Promise.resolve();

  function fill(): void {
    const nowMs = time.monotonicMs();
    bytesFree = Math.min(bytesAtOnceMax, bytesFree + ((nowMs - filledAtMs) / 1_000) * bytesPerSecond);
    filledAtMs = nowMs;
  }

  async function take(document: () => Promise<Response | null>): Promise<Response | null> {
    fill();
    if (bytesFree <= 0) return busyResponse(bytesFree);
    const response = await document();
    bytesFree -= Number(response?.headers.get("content-length") ?? 0);
    return response;
  }

  return {
    async serve(connection, document) {
      if (sending >= sendingMax) return busyResponse(0);
      if (connection !== null) {
        sending += 1;
        connection.onClose(() => (sending -= 1));
      }
      const taken = before.then(() => take(document));
      before = taken.catch(() => {});
      return await taken;
    },
  };
}

function busyResponse(bytesFree: number): Response {
  const waitSeconds = Math.max(1, Math.ceil(-bytesFree / bytesPerSecond));
  return problemResponse(503, "Not available now", "Too many documents are asked for. Ask again.", { "retry-after": String(waitSeconds) });
}
