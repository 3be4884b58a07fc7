// Turns the records of operators' decisions into facts. Values are copied, because avsc's objects are not plain objects
// and aggregates keep them.

import type { Fact, OperatorAction } from "@sluice/domain";
import { unreachable } from "@sluice/kernel";
import type * as wire from "../generated/records.ts";
import { mapSymbol } from "./map-symbol.ts";
import { operatorContentSha256, type OperatorRecord } from "./operator-content.ts";

export function operatorFact(decoded: OperatorRecord): Fact {
  const sha = operatorContentSha256(decoded);
  switch (decoded.name) {
    case "WithdrawalRequested":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action, sha) };
    case "RedriveRequested":
    case "DeliveryStopRequested": {
      const { action, messageIdentification } = decoded.value;
      const target = mapSymbol(decoded.value.target, { DELIVERY: "delivery", POSTING: "posting" } as const);
      return { kind: decoded.name, action: toOperatorAction(action, sha), target, messageIdentification };
    }
    case "ItemResolutionRequested": {
      const { action, day, replacedBy, needsSecondPerson } = decoded.value;
      const lifetimeMs = decoded.value.lifetimeMs === null ? null : Number(decoded.value.lifetimeMs);
      const resolution = mapSymbol(decoded.value.resolution, { MADE: "made", NOT_MADE: "not-made", REPLACED: "replaced" } as const);
      return { kind: decoded.name, action: toOperatorAction(action, sha), day, resolution, replacedBy, needsSecondPerson, lifetimeMs };
    }
    case "ItemResolutionConfirmed": {
      const { action, confirms, proposalOffset, proposalSha256 } = decoded.value;
      const isNamed = proposalOffset !== null && proposalSha256 !== null;
      const proposal = isNamed ? { offset: proposalOffset, contentSha256: proposalSha256 } : null;
      return { kind: decoded.name, action: toOperatorAction(action, sha), confirms, proposal };
    }
    case "ItemResolutionRejected": {
      const { action, proposalOffset: offset, proposalSha256: contentSha256 } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action, sha), proposal: { offset, contentSha256 } };
    }
    case "ItemNoteRequested": {
      const { action, day, assignee } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action, sha), day, assignee };
    }
    case "DeadLettersReplayed":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action, sha), records: decoded.value.records };
    case "CloseExtensionRequested": {
      const { action, scheme, businessDate, windowNumber, closesAtMs } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action, sha), scheme, businessDate, windowNumber, closesAtMs };
    }
    case "GateOpeningRequested": {
      const { action, scheme, businessDate, bank, credits } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action, sha), scheme, businessDate, bank, credits: [...credits] };
    }
    case "BankPauseRequested": {
      const { action, bank, untilMs } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action, sha), bank, untilMs };
    }
    case "BankResumeRequested":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action, sha), bank: decoded.value.bank };
    default:
      return unreachable(decoded);
  }
}

export function toOperatorAction(
  { id, operator, person, confirmedBy, reason, requestedAtMs }: wire.OperatorAction,
  contentSha256: string,
): OperatorAction {
  return { id, operator, person, confirmedBy, reason, requestedAtMs, contentSha256 };
}
