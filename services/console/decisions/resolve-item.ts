// resolveItem, confirmResolution, rejectResolution: record what people found out about a reconciliation item. If the
// configuration requires a second person, a resolution counts only after another person, with the role approve, has
// confirmed it by its offset in the journal and the hash of its content. That person can reject it in the same way.

import type { Configuration } from "@sluice/config";
import { createDecisionHandler, refuseWith, type DecisionPorts } from "./decision.ts";
import { decideOnTransaction } from "./decide-on-transaction.ts";
import type { ControlHandler } from "../http/control-handler.ts";

export function resolveItem(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "resolveItem", async (asked) => {
    const { day, resolution, replacedBy } = asked.body;
    if (replacedBy !== null && replacedBy === asked.question.path["uetr"]) {
      return refuseWith(422, "The decision cannot be processed.", "/replacedBy: another transaction, not this one");
    }
    const value = { action: asked.action, day, resolution, replacedBy, ...secondPersonFor(ports.configuration) };
    return await decideOnTransaction(ports, asked, { name: "ItemResolutionRequested", value });
  });
}

/** A resolution waits for its second person as long as any proposal. */
export function secondPersonFor(configuration: Pick<Configuration, "resolutionNeedsSecondPerson" | "secondPerson">) {
  const { resolutionNeedsSecondPerson: needsSecondPerson, secondPerson } = configuration;
  return { needsSecondPerson, lifetimeMs: needsSecondPerson ? BigInt(secondPerson.proposalLifetimeMs) : null };
}

export function confirmResolution(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "confirmResolution", (asked) => {
    const { offset, contentSha256 } = asked.body;
    const proposal = { confirms: String(offset), proposalOffset: offset, proposalSha256: contentSha256 };
    return decideOnTransaction(ports, asked, { name: "ItemResolutionConfirmed", value: { action: asked.action, ...proposal } });
  });
}

export function rejectResolution(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "rejectResolution", (asked) => {
    const { offset: proposalOffset, contentSha256: proposalSha256 } = asked.body;
    const value = { action: asked.action, proposalOffset, proposalSha256 };
    return decideOnTransaction(ports, asked, { name: "ItemResolutionRejected", value });
  });
}
