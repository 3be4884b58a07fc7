// redriveDelivery: has a delivery that was refused for good, or the posting of an event, tried again with the same
// bytes.

import { createDecisionHandler, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function redriveDelivery(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "redriveDelivery", (asked) => {
    const { messageIdentification, target } = asked.body;
    const value = { action: asked.action, target: target ?? "DELIVERY", messageIdentification };
    return decideOnTransaction(ports, asked, { name: "RedriveRequested", value });
  });
}
