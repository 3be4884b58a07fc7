// Builds the receipt of a delivery or posting that ended; both services share it.

import type { Receipt, ReceiptOutcome } from "@sluice/contracts";
import { attemptsForReceipt, firstAttemptAtMs } from "./attempt-history.ts";
import type { DeliveryEnd, EndOutcome } from "../rules.ts";

const outcomes: Readonly<Record<EndOutcome, ReceiptOutcome>> = {
  acknowledged: "ACKNOWLEDGED",
  refused: "REFUSED",
  stopped: "STOPPED",
  expired: "EXPIRED",
  "given-up": "STOPPED",
};

export function buildReceipt({ subject, outcome, progress, endedAtMs }: DeliveryEnd): Receipt {
  return {
    webhookId: subject.id,
    uetr: subject.uetr,
    bank: subject.receiverId,
    operation: subject.operation,
    stageVersion: subject.stageVersion,
    outcome: outcomes[outcome],
    attempts: progress.attempts,
    firstAttemptAtMs: firstAttemptAtMs(progress) ?? endedAtMs,
    endedAtMs,
    recentAttempts: attemptsForReceipt(progress),
    earlier: progress.earlier,
    stoppedBy: outcome === "given-up" ? (progress.stop?.operator ?? null) : null,
    confirmedBy: outcome === "given-up" ? (progress.stop?.confirmedBy ?? null) : null,
  };
}
