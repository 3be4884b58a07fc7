// Records the requests that a simulated bank or connector sent and received, as history entries for the checker with
// their bytes.

import type { ReceivedEntry, SentEntry } from "@sluice/checker";
import { assert } from "@sluice/kernel";

export interface PartyRecorder {
  sent(entry: SentEntry, body: Uint8Array): void;
  received(entry: ReceivedEntry, body: Uint8Array, headers: Readonly<Record<string, string>>): void;
}

export interface RecordedRequest {
  readonly entry: SentEntry | ReceivedEntry;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MemoryRecorder extends PartyRecorder {
  readonly requests: readonly RecordedRequest[];
  sentEntries(): readonly SentEntry[];
  receivedEntries(): readonly ReceivedEntry[];
}

/**
 * Keeps every request in memory. An assertion fails past `requestsMax`, because a history with holes proves nothing.
 */
export function createMemoryRecorder(requestsMax = 200_000): MemoryRecorder {
  const requests: RecordedRequest[] = [];
  function keep(request: RecordedRequest): void {
    assert(requests.length < requestsMax, `more than ${requestsMax} requests to record`);
    requests.push(request);
  }
  return {
    requests,
    sent: (entry, body) => keep({ entry, body, headers: {} }),
    received: (entry, body, headers) => keep({ entry, body, headers }),
    sentEntries: () => requests.map(({ entry }) => entry).filter((entry) => entry.kind === "sent"),
    receivedEntries: () => requests.map(({ entry }) => entry).filter((entry) => entry.kind === "received"),
  };
}
