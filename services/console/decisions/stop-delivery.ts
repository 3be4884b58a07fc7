// stopDelivery: has a delivery that its receiver fails, or the posting of an event, tried no more.

import { createDecisionHandler, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function stopDelivery(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "stopDelivery", (asked) => {
    const { messageIdentification, target } = asked.body;
    const value = { action: asked.action, target: target ?? "DELIVERY", messageIdentification };
    return decideOnTransaction(ports, asked, { name: "DeliveryStopRequested", value });
  });
}
