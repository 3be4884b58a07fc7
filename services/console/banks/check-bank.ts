// checkBank: has the addresses of a bank or connector called without a message, to learn whether they answer.
//
// #1 Dispatcher and event-publisher do it, with their own credentials and from their own network; this process reaches
//    no bank. Each reads the request in its topic.
// #2 It is no decision about a bank: nothing is kept in the journal, and a repeat only calls the addresses again. What
//    came of it stands at each endpoint of the bank.

import { findBank, findConnector } from "@sluice/config";
import { topics, type OperatorAction } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import { createActionAppender, type ActionAppenderPorts } from "../decisions/append-action.ts";
import { createDecisionHandler, refuseWith, type DecisionPorts } from "../decisions/decision.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";

export function checkBank(ports: ActionAppenderPorts & Pick<DecisionPorts, "time" | "random" | "configuration">): ControlHandler {
  const appenders = [topics.events, topics.dispatch].map((topic) => createActionAppender(ports, topic));
  return createDecisionHandler(ports, "checkBank", async ({ action, question }) => {
    const bank = question.path["bank"] ?? "";
    const { configuration } = ports;
    const isKnown = (findBank(configuration, bank) ?? findConnector(configuration, bank)) !== undefined;
    if (!isKnown) return refuseWith(404, "Not known", "No bank or connector has this id.");
    for (const append of appenders) {
      const answer = await append(bankKey(bank), action, { name: "EndpointCheckRequested", value: { action, bank } });
      if (answer.kind !== "accepted") return answer;
    }
    return accepted(action, bank);
  });
}

function accepted({ id, requestedAtMs }: OperatorAction, bank: string): ControlAnswer {
  return { kind: "accepted", body: { schema: "CheckRequested", action: id, bank, requestedAt: formatInstant(requestedAtMs) } };
}
