// extendClose: postpones a close that has not been reached; deadlines move with it. Window 0 is the reconciliation
// close.

import { createDecisionHandler, refuseWith, type DecisionPorts } from "./decision.ts";
import { decideOnDay } from "./decide-on-day.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { parseMillisecond } from "./parse-millisecond.ts";

export function extendClose(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "extendClose", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { window: windowNumber, closesAt } = asked.body;
    const closesAtMs = parseMillisecond(closesAt);
    if (closesAtMs === null) return refuseWith(422, "The decision cannot be processed.", "/closesAt: whole milliseconds");
    const value = { action: asked.action, scheme, businessDate, windowNumber, closesAtMs };
    return await decideOnDay(ports, asked, { name: "CloseExtensionRequested", value });
  });
}
