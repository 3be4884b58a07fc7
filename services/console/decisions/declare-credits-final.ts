// declareCreditsFinal: an operator declares the credits of a day final for all banks or for one, whatever party the
// configuration expects to declare them.

import { createDecisionHandler, type DecisionPorts } from "./decision.ts";
import { decideOnDay, isConfiguredBank, unknownBankRefusal } from "./decide-on-day.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function declareCreditsFinal(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "declareCreditsFinal", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { bank } = asked.body;
    if (bank !== null && !isConfiguredBank(ports, bank)) return unknownBankRefusal;
    const { action } = asked;
    const value = { scheme, businessDate, requestedBy: action.operator, bank, receivedAtMs: action.requestedAtMs, action };
    return await decideOnDay(ports, asked, { name: "CreditsFinalRequested", value });
  });
}
