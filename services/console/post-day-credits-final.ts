// declareCreditsFinal: an operator declares the credits of a day final, for all banks or for one, whoever declares them by the configuration.

import { deciding, type ActingPorts } from "./acting.ts";
import { decideOnDay, isBank, unknownBank } from "./acting-on-day.ts";
import type { ControlHandler } from "./control-handler.ts";

export function declareCreditsFinal(ports: ActingPorts): ControlHandler {
  return deciding(ports, "declareCreditsFinal", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { bank } = asked.body;
    if (bank !== null && !isBank(ports, bank)) return unknownBank;
    const { action } = asked;
    const value = { scheme, businessDate, requestedBy: action.operator, bank, receivedAtMs: action.requestedAtMs, action };
    return await decideOnDay(ports, asked, { name: "CreditsFinalRequested", value });
  });
}
