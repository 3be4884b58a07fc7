// rejectProposal, retractProposal: a proposal ends without its decision, because another person rejects it or because
// the person who proposed it retracts it.
//
// #1 The log decides: it is answered 202 only if this record is the one that ended the proposal. A confirmation that
//    lies before it counts, and one that lies behind it does not.
// #2 Sent again under the same id it is the same rejection or retraction.

import type { AnyDecodedRecord, OperatorAction } from "@sluice/contracts";
import { createDecisionHandler, refuseNow, refuseWith, type DecisionContext } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { answerNotStored, appendAndRead } from "./append-proposal.ts";
import { explainEnd, isEndedBy, judgeEnd, type Proposal } from "./proposal.ts";
import { proposalView } from "./proposal-view.ts";
import { timeUnknown, type ProposeDecisionPorts } from "./propose-decision.ts";

const ends = {
  rejectProposal: { kind: "rejected", record: "DecisionRejected" },
  retractProposal: { kind: "retracted", record: "DecisionRetracted" },
} as const;

type EndOperation = keyof typeof ends;

export function rejectProposal(ports: ProposeDecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "rejectProposal", (ending) => endProposal(ports, "rejectProposal", ending));
}

export function retractProposal(ports: ProposeDecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "retractProposal", (ending) => endProposal(ports, "retractProposal", ending));
}

async function endProposal(
  ports: ProposeDecisionPorts,
  operation: EndOperation,
  { action, body, question }: DecisionContext<EndOperation>,
): Promise<ControlAnswer> {
  const nowMs = ports.brokerClock.nowMs();
  if (nowMs === null) return timeUnknown;
  const id = question.path["action"] ?? "";
  const proposals = await ports.book.read();
  const before = proposals.find(id);
  if (before === null) return refuseWith(404, "Not known", "There is no such proposal.");
  const { kind, record } = ends[operation];
  const given = { kind, action, ...body };
  if (isEndedBy(before, given)) return answerEnded(before, nowMs);
  const refusal = judgeEnd(before, given, proposals.endedUnder(action.id), nowMs);
  if (refusal !== null) return refuseNow(refusal);
  const proposal = (await appendAndRead(ports, buildEnd(record, id, given)))?.find(id) ?? null;
  if (proposal === null) return answerNotStored(action);
  if (!isEndedBy(proposal, given)) return refuseNow(explainEnd(proposal));
  ports.logger.info(`decision.${kind}`, { operation: proposal.operation, action: id, operator: action.operator });
  return answerEnded(proposal, nowMs);
}

interface NamedProposal {
  readonly action: OperatorAction;
  readonly offset: bigint;
  readonly contentSha256: string;
}

function buildEnd(
  name: (typeof ends)[EndOperation]["record"],
  proposal: string,
  { action, offset: proposalOffset, contentSha256: proposalSha256 }: NamedProposal,
): AnyDecodedRecord {
  return { name, value: { action, proposal, proposalOffset, proposalSha256 } };
}

function answerEnded(proposal: Proposal, nowMs: number): ControlAnswer {
  return { kind: "accepted", body: { schema: "ProposalEnded", ...proposalView(proposal, nowMs) } };
}
