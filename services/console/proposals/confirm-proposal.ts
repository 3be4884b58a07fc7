// confirmProposal: a second person confirms what they saw, and the decision is sent to its own handler under its own
// id.
//
// #1 The confirmation is in the log, and is the one that counts there, before anything takes effect.
// #2 Sent again under the same id, before the proposal's end, it is the same confirmation. The decision is then sent
//    again under its id, and counts once.
// #3 Before a confirmation is recorded, the handler judges the decision as things stand now: things may have changed
//    since it was proposed.
// #4 The person who proposed it must still be allowed to decide it, and still have every scheme that it is about.

import { controlOperations, type DecodedRecord } from "@sluice/contracts";
import type { ConfiguredOperator } from "@sluice/config";
import { createDecisionHandler, refuseNow, refuseWith, type DecisionContext } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler, ControlRequest } from "../http/control-handler.ts";
import { judgeProposer, type SchemePorts } from "../http/within-schemes.ts";
import { answerNotStored, appendAndRead } from "./append-proposal.ts";
import { explainEnd, isEndedBy, judgeEnd, readProposedPath, type Proposal } from "./proposal.ts";
import { timeUnknown, type DecisionHandlers, type ProposeDecisionPorts } from "./propose-decision.ts";

type Confirming = DecisionContext<"confirmProposal">;

export function confirmProposal(ports: ProposeDecisionPorts & SchemePorts, handlers: DecisionHandlers): ControlHandler {
  return createDecisionHandler(ports, "confirmProposal", async (confirming) => {
    const { action, body, question } = confirming;
    const nowMs = ports.brokerClock.nowMs();
    if (nowMs === null) return timeUnknown;
    const proposals = await ports.book.read();
    const proposal = proposals.find(question.path["action"] ?? "");
    if (proposal === null) return refuseWith(404, "Not known", "There is no such proposal.");
    const decided = buildDecision(ports.configuration.operators, proposal, question.operator.person);
    if (decided === null) return refuseNow("proposer-gone");
    const decide = handlers[proposal.operation];
    const isRepeat = isConfirmedBy(proposal, confirming);
    const refusal = isRepeat
      ? explainExpiry(proposal, nowMs)
      : judgeEnd(proposal, { kind: "confirmed", action, ...body }, proposals.endedUnder(action.id), nowMs);
    if (refusal !== null) return refuseNow(refusal);
    const withoutScheme = await judgeProposer(ports, decided.operator.schemes, proposal);
    if (withoutScheme !== null) return withoutScheme;
    if (isRepeat) return await decide(decided);
    const checked = await decide({ ...decided, isCheckOnly: true });
    return checked.kind === "found" ? await confirm(ports, confirming, () => decide(decided)) : checked;
  });
}

/** #1 */
async function confirm(ports: ProposeDecisionPorts, confirming: Confirming, decide: () => Promise<ControlAnswer>): Promise<ControlAnswer> {
  const { action, body, question } = confirming;
  const id = question.path["action"] ?? "";
  const value = { action, proposal: id, proposalOffset: body.offset, proposalSha256: body.contentSha256 };
  const record: DecodedRecord<"DecisionConfirmed"> = { name: "DecisionConfirmed", value };
  const proposal = (await appendAndRead(ports, record))?.find(id) ?? null;
  if (proposal === null) return answerNotStored(action);
  if (!isConfirmedBy(proposal, confirming)) return refuseNow(explainEnd(proposal));
  ports.logger.info("decision.confirmed", {
    operation: proposal.operation,
    action: id,
    operator: action.operator,
    confirmation: action.id,
  });
  return await decide();
}

function explainExpiry({ expiresAtMs }: Proposal, nowMs: number): "proposal-expired" | null {
  return nowMs < expiresAtMs ? null : "proposal-expired";
}

/** #2 */
function isConfirmedBy(proposal: Proposal, { action, body }: Confirming): boolean {
  return isEndedBy(proposal, { kind: "confirmed", action, ...body });
}

/** #4 The request as its proposer sent it, with who confirms it. Null: the proposer may no longer decide it. */
function buildDecision(
  operators: readonly ConfiguredOperator[],
  { action, operation, path, body }: Proposal,
  confirmedBy: string,
): ControlRequest | null {
  const configured = operators.find(({ id }) => id === action.operator);
  const row = controlOperations.find(({ name }) => name === operation);
  if (configured === undefined || row === undefined || !configured.roles.includes(row.role)) return null;
  const { id, name, person, roles, bank, schemes } = configured;
  return {
    operator: { id, name, person: action.person ?? person, roles: new Set(roles), bank, schemes },
    path: readProposedPath({ operation, path }),
    query: new URLSearchParams(),
    body: new TextEncoder().encode(body),
    actionId: action.id,
    confirmedBy,
  };
}
