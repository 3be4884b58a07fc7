// Finds the deliveries of a transaction to its bank, and the outcome reports on it to the connector.

import { expect } from "vitest";
import { findReceived, loadTransaction, type RecordedMessage, untilHolds } from "./evidence.ts";
import { type E2eCase, flows, outgoingIdentification } from "../parties/flows.ts";
import { clearingConnectorId, type E2eEnvironment } from "../environment/environment.ts";

/** Finds the requests with which the debit or credit reached its bank. */
export function findInbound(environment: E2eEnvironment, { flow, bank, uetr }: E2eCase): readonly RecordedMessage[] {
  return findReceived(environment, bank, flows[flow].inbound, uetr);
}

/** Finds the outcome reports to the connector, acknowledged or not. */
export function findOutcomeReports(environment: E2eEnvironment, { flow, uetr }: E2eCase): readonly RecordedMessage[] {
  return findReceived(environment, clearingConnectorId, flows[flow].answer, uetr);
}

/**
 * Waits until the connector has received this outcome report, under one identification and with the same bytes each
 * time, and acknowledged it once. Returns the statuses of its answers.
 */
export async function untilOutcomeReported(
  environment: E2eEnvironment,
  about: E2eCase,
  status: Readonly<Record<string, unknown>>,
): Promise<readonly (number | null)[]> {
  return await untilHolds(async () => {
    const reports = findOutcomeReports(environment, about);
    const { messageIdentification } = about;
    expect(reports.filter((outcome) => outcome.status === 202)).toMatchObject([
      {
        webhookId: outgoingIdentification(about, "O1"),
        message: { schema: "PaymentStatusReport", originalMessageIdentifiers: { messageIdentification }, status },
      },
    ]);
    expect(new Set(reports.map(({ bodyHash }) => bodyHash)).size).toBe(1);
    expect((await loadTransaction(environment, about.uetr)).outcomeReport).toMatchObject({
      number: 1,
      acknowledgedAtMs: expect.any(Number),
    });
    return reports.map((outcome) => outcome.status);
  });
}
