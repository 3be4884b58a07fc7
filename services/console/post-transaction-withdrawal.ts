// withdrawDebit: a debit that has not been released is taken back; it ends in RECONCILIATION, cause WITHDRAWN.

import { deciding, type ActingPorts } from "./acting.ts";
import { decideOnTransaction } from "./acting-on-transaction.ts";
import type { ControlHandler } from "./control-handler.ts";

export function withdrawDebit(ports: ActingPorts): ControlHandler {
  return deciding(ports, "withdrawDebit", (asked) =>
    decideOnTransaction(ports, asked, { name: "WithdrawalRequested", value: { action: asked.action } }),
  );
}
