// The receipt of one delivery or posting that ended: the same for both services.

import type { Receipt, ReceiptOutcome } from "@sluice/contracts";
import { attemptsOf, firstAttemptAtMs } from "./attempts-made.ts";
import type { DeliveryEnd, DeliveryOutcome } from "./delivery.ts";

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
    firstAttemptAtMs: firstAttemptAtMs(progress) ?? endedAtMs,
    endedAtMs,
    recentAttempts: attemptsOf(progress),
    earlier: progress.earlier,
  };
}
