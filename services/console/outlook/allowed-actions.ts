// Lists what an operator could decide about a transaction now, and why the rest is not possible.
//
// #1 The domain's own `decide` answers, as it answers a decision: the list has no rule of its own.
// #2 The operator's roles are looked at last, so that a reader learns what somebody else could do.

import { secondPersonFor } from "../decisions/resolve-item.ts";
import type { Configuration } from "@sluice/config";
import { secondPersonOperations, type SecondPersonOperation } from "@sluice/contracts";
import { awaitedDelivery, type Transaction } from "@sluice/domain";
import type { Timeline } from "@sluice/timeline";
import { findRefusal, type TransactionRecord } from "../decisions/decide-on-transaction.ts";
import type { Operator } from "../http/control-handler.ts";
import { explainReason } from "../views/reason-text.ts";
import { isItemOpen } from "../views/item-view.ts";

export interface ActionQuestion {
  readonly transaction: Transaction;
  readonly messages: Timeline["messages"];
  readonly operator: Operator;
  readonly configuration: Pick<Configuration, "secondPerson" | "resolutionNeedsSecondPerson">;
  readonly nowMs: number | null;
}

export interface AllowedAction {
  readonly name: string;
  readonly isAllowed: boolean;
  readonly whyNot: string | null;
  readonly needsSecondPerson: boolean;
  readonly about: string | null;
}

interface Candidate {
  readonly name:
    | "withdrawDebit"
    | "redriveDelivery"
    | "stopDelivery"
    | "resolveItem"
    | "confirmResolution"
    | "rejectResolution"
    | "replayTransaction";
  readonly about: string | null;
  /** What the domain says against it; null: nothing. */
  readonly refusal: string | null;
}

export function listAllowedActions(asked: ActionQuestion): readonly AllowedAction[] {
  return listCandidates(asked).map(({ name, about, refusal }) => {
    const role = name === "confirmResolution" || name === "rejectResolution" ? "approve" : "act";
    const missing = asked.operator.roles.has(role) ? null : `This needs the role ${role}.`;
    const whyNot = refusal === null ? missing : explainReason(refusal);
    return { name, isAllowed: whyNot === null, whyNot, needsSecondPerson: needsSecondPerson(asked, name), about };
  });
}

/** #1 */
function listCandidates({ transaction, messages, operator, configuration, nowMs }: ActionQuestion): readonly Candidate[] {
  const action = {
    id: "check",
    operator: operator.id,
    person: operator.person,
    reason: "check",
    requestedAtMs: nowMs ?? 0,
    confirmedBy: null,
  };
  const ask = (record: TransactionRecord): string | null => findRefusal(nowMs, transaction, record);
  const item = transaction.items.find((one) => isItemOpen(one)) ?? transaction.items.at(-1) ?? null;
  const refused = messages.findLast(({ waiting }) => waiting !== null && !waiting.isTried)?.messageIdentification ?? null;
  const awaited = awaitedDelivery(transaction)?.messageIdentification ?? null;
  const proposal = item?.resolution ?? null;
  const resolution = {
    action,
    day: item?.day ?? transaction.reconciliationDay ?? "",
    resolution: "MADE",
    replacedBy: null,
    ...secondPersonFor(configuration),
  } as const;
  const confirmation = {
    action,
    confirms: String(proposal?.offset ?? 0n),
    proposalOffset: proposal?.offset ?? 0n,
    proposalSha256: proposal?.action.contentSha256 ?? "",
  };
  const { confirms: _, ...rejection } = confirmation;
  return [
    { name: "withdrawDebit", about: null, refusal: ask({ name: "WithdrawalRequested", value: { action } }) },
    {
      name: "redriveDelivery",
      about: refused,
      refusal: ask({ name: "RedriveRequested", value: { action, target: "DELIVERY", messageIdentification: refused ?? "" } }),
    },
    {
      name: "stopDelivery",
      about: awaited,
      refusal: ask({ name: "DeliveryStopRequested", value: { action, target: "DELIVERY", messageIdentification: awaited ?? "" } }),
    },
    { name: "resolveItem", about: item?.day ?? null, refusal: ask({ name: "ItemResolutionRequested", value: resolution }) },
    { name: "confirmResolution", about: item?.day ?? null, refusal: ask({ name: "ItemResolutionConfirmed", value: confirmation }) },
    { name: "rejectResolution", about: item?.day ?? null, refusal: ask({ name: "ItemResolutionRejected", value: rejection }) },
    { name: "replayTransaction", about: null, refusal: transaction.quarantined === null ? "not-quarantined" : null },
  ];
}

function needsSecondPerson({ configuration }: ActionQuestion, name: Candidate["name"]): boolean {
  if (name === "resolveItem") return configuration.resolutionNeedsSecondPerson;
  return isSecondPersonOperation(name) && configuration.secondPerson.actions.includes(secondPersonOperations[name]);
}

function isSecondPersonOperation(name: string): name is SecondPersonOperation {
  return name in secondPersonOperations;
}
