// resolveItem, confirmResolution: record what people found out about a reconciliation item. If the configuration
// requires a second person, a resolution counts only after another operator, with the role approve, has confirmed it by
// the id of its action.

import { createDecisionHandler, refuseWith, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function resolveItem(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "resolveItem", async (asked) => {
    const { day, resolution, replacedBy } = asked.body;
    if (replacedBy !== null && replacedBy === asked.question.path["uetr"]) {
      return refuseWith(422, "The decision cannot be processed.", "/replacedBy: another transaction, not this one");
    }
    const needsSecondPerson = ports.configuration.resolutionNeedsSecondPerson;
    const value = { action: asked.action, day, resolution, replacedBy, needsSecondPerson };
    return await decideOnTransaction(ports, asked, { name: "ItemResolutionRequested", value });
  });
}

export function confirmResolution(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "confirmResolution", (asked) =>
    decideOnTransaction(ports, asked, {
      name: "ItemResolutionConfirmed",
      value: { action: asked.action, confirms: asked.body.confirms },
    }),
  );
}
