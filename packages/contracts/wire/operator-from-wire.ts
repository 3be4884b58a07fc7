// Turns the records of operators' decisions into facts. Values are copied, because avsc's objects are not plain objects
// and aggregates keep them.

import type { Fact, OperatorAction } from "@sluice/domain";
import { unreachable } from "@sluice/kernel";
import type { DecodedRecord } from "../api.ts";
import type * as wire from "../generated/records.ts";
import { mapSymbol } from "./map-symbol.ts";

type OperatorRecordName =
  | "WithdrawalRequested"
  | "RedriveRequested"
  | "ItemResolutionRequested"
  | "ItemResolutionConfirmed"
  | "DeadLettersReplayed"
  | "CloseExtensionRequested"
  | "GateOpeningRequested"
  | "BankPauseRequested"
  | "BankResumeRequested";

export type OperatorRecord = { [N in OperatorRecordName]: DecodedRecord<N> }[OperatorRecordName];

export function operatorFact(decoded: OperatorRecord): Fact {
  switch (decoded.name) {
    case "WithdrawalRequested":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action) };
    case "RedriveRequested": {
      const { action, messageIdentification } = decoded.value;
      const target = mapSymbol(decoded.value.target, { DELIVERY: "delivery", POSTING: "posting" } as const);
      return { kind: decoded.name, action: toOperatorAction(action), target, messageIdentification };
    }
    case "ItemResolutionRequested": {
      const { action, day, replacedBy, needsSecondPerson } = decoded.value;
      const resolution = mapSymbol(decoded.value.resolution, { MADE: "made", NOT_MADE: "not-made", REPLACED: "replaced" } as const);
      return { kind: decoded.name, action: toOperatorAction(action), day, resolution, replacedBy, needsSecondPerson };
    }
    case "ItemResolutionConfirmed":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action), confirms: decoded.value.confirms };
    case "DeadLettersReplayed":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action), records: decoded.value.records };
    case "CloseExtensionRequested": {
      const { action, scheme, businessDate, windowNumber, closesAtMs } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action), scheme, businessDate, windowNumber, closesAtMs };
    }
    case "GateOpeningRequested": {
      const { action, scheme, businessDate, bank, credits } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action), scheme, businessDate, bank, credits: [...credits] };
    }
    case "BankPauseRequested": {
      const { action, bank, untilMs } = decoded.value;
      return { kind: decoded.name, action: toOperatorAction(action), bank, untilMs };
    }
    case "BankResumeRequested":
      return { kind: decoded.name, action: toOperatorAction(decoded.value.action), bank: decoded.value.bank };
    default:
      return unreachable(decoded);
  }
}

export function toOperatorAction({ id, operator, reason, requestedAtMs }: wire.OperatorAction): OperatorAction {
  return { id, operator, reason, requestedAtMs };
}
