// The common frame of all decisions: contracts parse the body, the aggregate is loaded, and the record is appended.
//
// #1 A decision that the stored aggregate would refuse is answered 409 and not appended, by the domain's own rules.
//    This is a courtesy: the aggregate decides when it applies the record.
// #2 A repeated decision is appended again and counts once. An action id that was used for another decision is refused,
//    however long ago that was: the operator would otherwise read the result of that other decision.

import type { Configuration } from "@sluice/config";
import { operatorContentSha256, type ActionRecord, type OperatorAction } from "@sluice/contracts";
import { readControlBody, type ControlBody, type ControlDecisionName } from "@sluice/contracts/decision-bodies";
import { findActionUse } from "@sluice/domain";
import type { BrokerClock } from "@sluice/messaging";
import type { Random, Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import type { AppendAction } from "./append-action.ts";
import type { ControlAnswer, ControlHandler, ControlRequest } from "../http/control-handler.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";
import { explainReason } from "../views/reason-text.ts";

export interface DecisionPorts {
  readonly time: Time;
  readonly random: Random;
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "partitions">;
  readonly configuration: Configuration;
  readonly knownAsOf: KnownAsOf;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
  readonly append: AppendAction;
}

export interface DecisionContext<Name extends ControlDecisionName> {
  readonly body: ControlBody<Name>;
  readonly action: OperatorAction;
  readonly question: ControlRequest;
}

export function createDecisionHandler<Name extends ControlDecisionName>(
  { time, random }: Pick<DecisionPorts, "time" | "random">,
  name: Name,
  decide: (deciding: DecisionContext<Name>) => Promise<ControlAnswer>,
): ControlHandler {
  return async (question) => {
    const reading = readControlBody(name, question.body);
    if (!reading.ok) return refuseWith(reading.status, reading.error.message, reading.error.detail);
    const { message: body } = reading.read;
    const { reason }: { readonly reason: string } = body;
    const id = question.actionId ?? random.hex(16);
    const { id: operator, person } = question.operator;
    const confirmedBy = question.confirmedBy ?? null;
    const action = { id, operator, person, reason, requestedAtMs: time.nowMs(), confirmedBy };
    return await decide({ body, action, question });
  };
}

export function refuseWith(
  status: Extract<ControlAnswer, { readonly kind: "refused" }>["status"],
  message: string,
  detail: string,
): ControlAnswer {
  return { kind: "refused", status, message, detail };
}

interface DecidedBefore {
  readonly decisions: readonly { readonly action: { readonly id: string; readonly contentSha256: string } }[];
  readonly usedActions: readonly string[];
}

/**
 * #2 Compares with what the aggregate keeps of the action's id: "repeat" for the same decision, null for none, or the
 * answer that refuses the id.
 */
export function checkEarlierDecision(before: DecidedBefore, record: ActionRecord, { id }: OperatorAction): ControlAnswer | "repeat" | null {
  const contentSha256 = operatorContentSha256(record);
  const note = before.decisions.find(({ action }) => action.id === id);
  const use = note === undefined ? findActionUse(before.usedActions, { id, contentSha256 }) : null;
  if (note?.action.contentSha256 === contentSha256 || use === "already-decided") return "repeat";
  if (note === undefined && use === null) return null;
  return refuseWith(409, "Another decision", "This Idempotency-Key was used for another decision. Take a new one.");
}

/** The answer to a request that is only checked and would be appended. */
export const wouldBeAppended: ControlAnswer = { kind: "found", body: {} };

/** #1 `why` is the domain's code; null: there is none. */
export function refuseNow(why: string | null): ControlAnswer {
  return refuseWith(409, "Not possible now", why === null ? "It would be refused." : `${why}: ${explainReason(why)}`);
}
