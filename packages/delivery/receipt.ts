// The receipt of one delivery or posting that ended: the same for both services.

import type { Attempt, Receipt, ReceiptOutcome } from "@sluice/contracts";
import type { DeliveryEnd, DeliveryOutcome, Progress } from "./delivery.ts";

const outcomes: Readonly<Record<DeliveryOutcome, ReceiptOutcome>> = {
  acknowledged: "ACKNOWLEDGED",
  refused: "REFUSED",
  stopped: "STOPPED",
  expired: "EXPIRED",
};

export function receiptOf({ subject, outcome, progress, endedAtMs }: DeliveryEnd): Receipt {
  return {
    webhookId: subject.id,
    uetr: subject.uetr,
    bank: subject.bank,
    operation: subject.operation,
    stageVersion: subject.stageVersion,
    outcome: outcomes[outcome],
    attempts: progress.attempts,
    firstAttemptAtMs: progress.recentAttempts[0]?.atMs ?? endedAtMs,
    endedAtMs,
    recentAttempts: lastAttempts(progress),
  };
}

/** The newest attempts without a gap; the first is kept beside them only for its time. */
export function lastAttempts({ attempts, recentAttempts }: Progress): readonly Attempt[] {
  return attempts > recentAttempts.length ? recentAttempts.slice(1) : recentAttempts;
}
