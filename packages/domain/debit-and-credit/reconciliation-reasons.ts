// Lists why a transaction can be a reconciliation item, beside the row that its state gives. A test asks for a line of
// each reason in docs/runbooks/reconciliation-reasons.md.

interface Reason {
  /** The rows (docs/spec/interface.md, section 7; 0: our own) of the items that can have this reason. */
  readonly rows: readonly number[];
  readonly text: string;
}

export const reconciliationReasons = {
  GATE_CLOSED: { rows: [0], text: "Its bank's gate was closed in every window in which the debit was held." },
  WINDOW_MISSED: { rows: [0], text: "No window was open while the debit was held." },
  BANK_PAUSED: { rows: [0, 3, 4, 5, 7, 8], text: "The receiver was paused when its windows closed, or when its delivery was stopped." },
  NOT_REACHED_BEFORE_CLOSE: { rows: [0], text: "Its turn did not come before the last window closed." },
  WITHDRAWN: { rows: [0], text: "An operator withdrew the debit before it was released." },
  BREAKER_OPEN: { rows: [3, 4, 5, 7, 8], text: "The receiver's breaker was open when its delivery was stopped." },
  PDNG: { rows: [9], text: "The bank reported that it was still working on it, and nothing after that." },
  OUTCOME_UNDELIVERED: { rows: [3, 5], text: "The connector has not acknowledged the outcome report of an ended transaction." },
} as const satisfies Readonly<Record<string, Reason>>;

export type ReconciliationReason = keyof typeof reconciliationReasons;
