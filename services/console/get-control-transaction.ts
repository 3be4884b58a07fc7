// showTransaction: all that happened to one transaction. The timeline is that of `./sluice tx --json`; beside it the items with their
// evidence and resolutions, what operators decided, and whether records of it lie in the dead letters.

import type { Parked } from "@sluice/domain";
import { readTimeline, type TimelinePorts } from "@sluice/timeline";
import { instantText } from "./answer.ts";
import type { ControlHandler } from "./control-handler.ts";
import { decisionView } from "./control-values.ts";
import { itemView } from "./item-view.ts";

export function showTransaction(ports: TimelinePorts): ControlHandler {
  return async ({ path: { uetr = "" } }) => {
    const timeline = await readTimeline(uetr, ports);
    if (timeline === null) {
      return { kind: "refused", status: 404, message: "Not known", detail: "Nothing is known of this UETR." };
    }
    const transaction = (await ports.store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
    const { parked, items = [], decisions = [], rollsMax = null } = transaction ?? {};
    const body = {
      schema: "Transaction",
      timeline,
      items: items.map(itemView),
      decisions: decisions.map(decisionView),
      rollsMax,
      parked: parkedView(parked ?? null),
    };
    return { kind: "found", body };
  };
}

function parkedView(parked: Parked | null) {
  return parked === null ? null : { since: instantText(parked.sinceMs), offset: parked.offset, records: parked.records };
}
