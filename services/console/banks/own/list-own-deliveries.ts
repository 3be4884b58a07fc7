// listOwnDeliveries: what a bank has not taken, with the answers that it gave.

import { undeliveredMessages, type UndeliveredPorts } from "../../queries/list-undelivered.ts";
import type { ControlHandler } from "../../http/control-handler.ts";

export function listOwnDeliveries(ports: UndeliveredPorts): ControlHandler {
  return async ({ path, query }) => {
    const bank = path["bank"] ?? "";
    const found = await undeliveredMessages(ports, bank, query);
    if ("kind" in found) return found;
    const rows = found.rows.map((row) => ({
      kind: row.kind,
      messageIdentification: row.messageIdentification,
      uetr: row.uetr,
      status: row.status,
      attempts: row.attempts,
      nextAttempt: row.nextAttempt,
      day: row.day,
      windowCloses: row.windowCloses,
      closes: row.closes,
      recentAttempts: row.recentAttempts,
    }));
    return { kind: "found", body: { schema: "OwnDeliveries", asOf: found.asOf, bank, rows, next: found.next } };
  };
}
