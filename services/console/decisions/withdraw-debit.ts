// withdrawDebit: takes back a debit that has not been released; it ends in RECONCILIATION with the cause WITHDRAWN.

import { createDecisionHandler, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function withdrawDebit(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "withdrawDebit", (asked) =>
    decideOnTransaction(ports, asked, { name: "WithdrawalRequested", value: { action: asked.action } }),
  );
}
