// Records a decision as a proposal where the configuration wants a second person for it, and else lets its handler
// decide it.
//
// #1 A proposal that would be refused as things stand is refused, and not recorded: its own handler says so.
// #2 The same proposal under the same id is one proposal. The id of another proposal is refused.
// #3 What a person may have open is bounded (`proposal-room.ts`), so that nobody can push out what others propose.
// #4 A dry run changes nothing and needs nobody.

import {
  controlOperations,
  operatorContentSha256,
  secondPersonOperations,
  type DecodedRecord,
  type SecondPersonOperation,
} from "@sluice/contracts";
import { canonicalControlBody, readControlBody } from "@sluice/contracts/decision-bodies";
import type { Configuration } from "@sluice/config";
import type { Logger, Random } from "@sluice/kernel";
import type { BrokerClock } from "@sluice/messaging";
import { refuseNow, refuseWith } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler, ControlRequest } from "../http/control-handler.ts";
import { answerNotStored, appendAndRead, type ProposalAppendPorts } from "./append-proposal.ts";
import type { Proposal } from "./proposal.ts";
import { hasRoom } from "./proposal-room.ts";
import { proposalView } from "./proposal-view.ts";

export interface ProposeDecisionPorts extends Omit<ProposalAppendPorts, "brokerClock"> {
  readonly brokerClock: Pick<BrokerClock, "nowMs" | "observe">;
  readonly random: Random;
  readonly logger: Logger;
  readonly configuration: Configuration;
}

export type DecisionHandlers = Readonly<Record<SecondPersonOperation, ControlHandler>>;

/** The same handlers, each behind a second person where the configuration wants one. */
export function proposeDecisions(ports: ProposeDecisionPorts, handlers: DecisionHandlers): DecisionHandlers {
  return {
    declareCreditsFinal: proposeDecision(ports, "declareCreditsFinal", handlers.declareCreditsFinal),
    openGate: proposeDecision(ports, "openGate", handlers.openGate),
    withdrawDebit: proposeDecision(ports, "withdrawDebit", handlers.withdrawDebit),
    withdrawDebits: proposeDecision(ports, "withdrawDebits", handlers.withdrawDebits),
    redriveBank: proposeDecision(ports, "redriveBank", handlers.redriveBank),
    redriveDelivery: proposeDecision(ports, "redriveDelivery", handlers.redriveDelivery),
    stopDelivery: proposeDecision(ports, "stopDelivery", handlers.stopDelivery),
    replayDeadLetter: proposeDecision(ports, "replayDeadLetter", handlers.replayDeadLetter),
    replayTransaction: proposeDecision(ports, "replayTransaction", handlers.replayTransaction),
    replayDeadLetters: proposeDecision(ports, "replayDeadLetters", handlers.replayDeadLetters),
    skipStuckRecord: proposeDecision(ports, "skipStuckRecord", handlers.skipStuckRecord),
    extendClose: proposeDecision(ports, "extendClose", handlers.extendClose),
    eraseMonth: proposeDecision(ports, "eraseMonth", handlers.eraseMonth),
  };
}

function proposeDecision(ports: ProposeDecisionPorts, name: SecondPersonOperation, handler: ControlHandler): ControlHandler {
  return async (question) => {
    const isNeeded = ports.configuration.secondPerson.actions.includes(secondPersonOperations[name]);
    if (!isNeeded || isDryRun(name, question)) return await handler(question);
    const actionId = question.actionId ?? ports.random.hex(16);
    const checked = await handler({ ...question, actionId, isCheckOnly: true });
    return checked.kind === "found" ? await propose(ports, name, { ...question, actionId }) : checked;
  };
}

/** #4 */
function isDryRun(name: SecondPersonOperation, { body }: ControlRequest): boolean {
  const reading = readControlBody(name, body);
  if (!reading.ok) return false;
  const { message } = reading.read;
  return "isDryRun" in message && message.isDryRun === true;
}

async function propose(
  ports: ProposeDecisionPorts,
  name: SecondPersonOperation,
  question: ControlRequest & { readonly actionId: string },
): Promise<ControlAnswer> {
  const nowMs = ports.brokerClock.nowMs();
  if (nowMs === null) return timeUnknown;
  const record = buildProposal(ports, name, question);
  const { action } = record.value;
  const before = await ports.book.read();
  const known = before.find(action.id);
  if (known !== null) return answerProposal(known, record, nowMs);
  if (!hasRoom(before.list(), record.value, nowMs)) return refuseNow("too-many-proposals");
  const proposal = (await appendAndRead(ports, record))?.find(action.id) ?? null;
  if (proposal === null) return answerNotStored(action);
  const { id, operator } = action;
  ports.logger.info("decision.proposed", {
    operation: name,
    path: record.value.path,
    action: id,
    operator,
    offset: proposal.offset.toString(),
  });
  return answerProposal(proposal, record, nowMs);
}

function buildProposal(
  { time, configuration }: ProposeDecisionPorts,
  name: SecondPersonOperation,
  { operator, path, body, actionId }: ControlRequest & { readonly actionId: string },
): DecodedRecord<"DecisionProposed"> {
  const template = controlOperations.find((operation) => operation.name === name)?.path ?? "";
  const text = canonicalControlBody(body);
  const { reason }: { readonly reason: string } = JSON.parse(text);
  return {
    name: "DecisionProposed",
    value: {
      action: { id: actionId, operator: operator.id, person: operator.person, reason, requestedAtMs: time.nowMs(), confirmedBy: null },
      operation: name,
      path: template.replaceAll(/\{(\w+)\}/g, (_, part: string) => path[part] ?? ""),
      body: text,
      lifetimeMs: BigInt(configuration.secondPerson.proposalLifetimeMs),
    },
  };
}

/** #2 */
function answerProposal(proposal: Proposal, record: DecodedRecord<"DecisionProposed">, nowMs: number): ControlAnswer {
  if (proposal.contentSha256 !== operatorContentSha256(record)) {
    return refuseWith(409, "Another decision", "This Idempotency-Key was used for another decision. Take a new one.");
  }
  return { kind: "accepted", body: { schema: "DecisionProposed", ...proposalView(proposal, nowMs) } };
}

export const timeUnknown: ControlAnswer = { kind: "unavailable", detail: "The time of the log is not known yet. Ask again." };
