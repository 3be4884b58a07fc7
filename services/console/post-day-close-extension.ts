// extendClose: a close that is not reached is put back; deadlines move with it. Window 0 is the reconciliation close.

import { deciding, refused, type ActingPorts } from "./acting.ts";
import { decideOnDay } from "./acting-on-day.ts";
import type { ControlHandler } from "./control-handler.ts";
import { millisecondOf } from "./millisecond-of.ts";

export function extendClose(ports: ActingPorts): ControlHandler {
  return deciding(ports, "extendClose", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { window: windowNumber, closesAt } = asked.body;
    const closesAtMs = millisecondOf(closesAt);
    if (closesAtMs === null) return refused(422, "The decision cannot be processed.", "/closesAt: whole milliseconds");
    const value = { action: asked.action, scheme, businessDate, windowNumber, closesAtMs };
    return await decideOnDay(ports, asked, { name: "CloseExtensionRequested", value });
  });
}
