// showTransaction: everything that happened to one transaction. The timeline is what `./sluice tx` prints; the
// answer adds the items with evidence and resolutions, the operators' decisions, and whether the transaction is
// quarantined.

import type { Quarantine } from "@sluice/domain";
import { readTimeline, type TimelinePorts } from "@sluice/timeline";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { decisionView } from "../views/control-values.ts";
import { itemView } from "../views/item-view.ts";

export function showTransaction(ports: TimelinePorts): ControlHandler {
  return async ({ path: { uetr = "" } }) => {
    const timeline = await readTimeline(uetr, ports);
    if (timeline === null) {
      return { kind: "refused", status: 404, message: "Not known", detail: "Nothing is known of this UETR." };
    }
    const transaction = (await ports.store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
    const { quarantined, items = [], decisions = [], carryOversMax = null } = transaction ?? {};
    const body = {
      schema: "Transaction",
      timeline,
      items: items.map(itemView),
      decisions: decisions.map(decisionView),
      carryOversMax,
      quarantined: quarantineView(quarantined ?? null),
    };
    return { kind: "found", body };
  };
}

function quarantineView(quarantined: Quarantine | null) {
  return quarantined === null
    ? null
    : { since: formatInstant(quarantined.sinceMs), offset: quarantined.offset, records: quarantined.records };
}
