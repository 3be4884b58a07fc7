// What banks, connector and Sluice said to each other, held against the OpenAPI document of both sides.

import { createDocumentCheck } from "@sluice/documents/check";
import { bankCallPaths, bankServedPaths, connectorCallPaths, connectorServedPaths } from "@sluice/testkit";
import type { RecordedRequest } from "@sluice/testkit";
import { connectorId } from "./scenario.ts";

const check = createDocumentCheck();

/** A sentence for each request and answer that the document does not say. */
export function undocumented(requests: readonly RecordedRequest[]): readonly string[] {
  return requests.flatMap(({ entry, body, headers }) => {
    const { bank: party, operation, status } = entry;
    const receiver = party === connectorId ? "connector" : "bank";
    if (entry.kind === "received") {
      const served = receiver === "connector" ? connectorServedPaths : bankServedPaths;
      const path = Object.keys(served).find((known) => served[known] === operation) ?? operation;
      return check.delivered({ receiver, path, body, headers, status });
    }
    // Operators have a document of their own.
    if (entry.operation === "operatorAction") return [];
    const path = (receiver === "connector" ? connectorCallPaths : bankCallPaths)[entry.operation] ?? operation;
    return check.served({ method: "POST", path, body, status });
  });
}
