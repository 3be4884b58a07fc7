// noteItem: an operator notes something at a reconciliation item, and says who sees to it. It moves no money and needs
// one person.

import { createDecisionHandler, refuseWith, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function noteItem(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "noteItem", async (asked) => {
    const { day, assignee } = asked.body;
    const isKnown = ports.configuration.operators.some(({ id, bank }) => id === assignee && bank === null);
    if (assignee !== null && !isKnown) {
      return refuseWith(422, "The decision cannot be processed.", "/assignee: the id of an operator of Sluice");
    }
    return await decideOnTransaction(ports, asked, { name: "ItemNoteRequested", value: { action: asked.action, day, assignee } });
  });
}
