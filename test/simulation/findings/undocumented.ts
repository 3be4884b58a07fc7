// Checks the recorded requests between banks, connector and Sluice against the OpenAPI documents of both directions.

import { createDocumentCheck } from "@sluice/documents/check";
import { bankCallPaths, bankServedPaths, connectorCallPaths, connectorServedPaths, type RecordedRequest } from "@sluice/testkit";
import { simulatedConnectorId } from "../messages.ts";

const check = createDocumentCheck();

/** Returns a sentence for each request or answer that its document does not describe. */
export function findUndocumented(requests: readonly RecordedRequest[]): readonly string[] {
  return requests.flatMap(({ entry, body, headers }) => {
    const { bank: party, operation, status } = entry;
    const receiver = party === simulatedConnectorId ? "connector" : "bank";
    if (entry.kind === "received") {
      const served = receiver === "connector" ? connectorServedPaths : bankServedPaths;
      const path = Object.keys(served).find((known) => served[known] === operation) ?? operation;
      return check.checkDelivered({ receiver, path, body, headers, status });
    }
    // The control API of operators has a document of its own.
    if (entry.operation === "operatorAction") return [];
    const path = (receiver === "connector" ? connectorCallPaths : bankCallPaths)[entry.operation] ?? operation;
    return check.checkServed({ method: "POST", path, body, status });
  });
}
