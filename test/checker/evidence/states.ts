// The states of the specification, in a table of the checker's own, because the checker does not trust the system.

export const specifiedTerminalStates: ReadonlySet<string> = new Set([
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_FAILURE",
  "CREDIT_AUTH_RECONCILIATION",
]);

export function isReconciliationState(state: string): boolean {
  return state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION";
}

type Steps = Readonly<Record<string, readonly string[]>>;

const fromHeld: Steps = {
  HELD: ["RELEASED", "RECONCILIATION", "HELD"],
  RELEASED: ["DELIVERED", "RECONCILIATION"],
  DELIVERED: ["COMPLETED", "UNPAID", "RECONCILIATION"],
};

/** The states that may follow each state, by flow. The key "" stands for no state yet. */
export const legalSteps: Readonly<Record<"on-us" | "off-us" | "credit", Steps>> = {
  "on-us": {
    "": ["RECEIVED"],
    RECEIVED: ["ACCEPTED", "REJECTED", "RECONCILIATION"],
    ACCEPTED: ["REPORTED", "RECONCILIATION"],
    REJECTED: ["REJECTION_REPORTED", "RECONCILIATION"],
    REPORTED: ["HELD"],
    ...fromHeld,
  },
  "off-us": {
    "": ["RECEIVED"],
    RECEIVED: ["ACCEPTED", "REJECTED", "RECONCILIATION"],
    ACCEPTED: ["HELD"],
    REJECTED: ["REJECTION_REPORTED", "RECONCILIATION"],
    ...fromHeld,
  },
  credit: {
    "": ["CREDIT_AUTH_RECEIVED"],
    CREDIT_AUTH_RECEIVED: ["CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_REJECTED", "CREDIT_AUTH_RECONCILIATION"],
    CREDIT_AUTH_ACCEPTED: ["CREDIT_AUTH_DELIVERY_PENDING"],
    CREDIT_AUTH_DELIVERY_PENDING: ["CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_DELIVERY_FAILURE", "CREDIT_AUTH_RECONCILIATION"],
    CREDIT_AUTH_DELIVERED: ["CREDIT_AUTH_RESPONSE_ACCEPTED", "CREDIT_AUTH_RECONCILIATION"],
  },
};

/** The schema of the message that an event shows; null where the specification leaves it to the state before. */
export function payloadSchemaFor(state: string, flow: string | null): string | null {
  if (flow === "off-us" && state === "ACCEPTED") return "DirectDebit";
  if (reportStates.has(state)) return "PaymentStatusReport";
  if (debitStates.has(state)) return "DirectDebit";
  return state.startsWith("CREDIT_AUTH_") && !isReconciliationState(state) ? "CreditTransfer" : null;
}

const reportStates: ReadonlySet<string> = new Set([
  "ACCEPTED",
  "REJECTED",
  "REJECTION_REPORTED",
  "REPORTED",
  "COMPLETED",
  "UNPAID",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
]);
const debitStates: ReadonlySet<string> = new Set(["RECEIVED", "HELD", "RELEASED", "DELIVERED"]);
