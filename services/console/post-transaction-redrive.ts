// redriveDelivery: a delivery that was refused for good, or the posting of an event, is tried again with the same bytes.

import { deciding, type ActingPorts } from "./acting.ts";
import { decideOnTransaction } from "./acting-on-transaction.ts";
import type { ControlHandler } from "./control-handler.ts";

export function redriveDelivery(ports: ActingPorts): ControlHandler {
  return deciding(ports, "redriveDelivery", (asked) => {
    const { messageIdentification, target } = asked.body;
    const value = { action: asked.action, target: target ?? "DELIVERY", messageIdentification };
    return decideOnTransaction(ports, asked, { name: "RedriveRequested", value });
  });
}
