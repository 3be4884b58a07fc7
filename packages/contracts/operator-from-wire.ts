// What operators ask for, as records of the journal → facts. Values are copied: what Avro decodes is no plain object, and aggregates keep it.

import type { Fact, OperatorAction } from "@sluice/domain";
import { unreachable } from "@sluice/runtime";
import type { Decoded } from "./api.ts";
import type * as wire from "./generated/records.ts";
import { known } from "./known.ts";

export type OperatorRecordName =
  | "WithdrawalRequested"
  | "RedriveRequested"
  | "ItemResolutionRequested"
  | "ItemResolutionConfirmed"
  | "DeadLettersReplayed"
  | "CloseExtensionRequested"
  | "GateOpeningRequested"
  | "BankPauseRequested"
  | "BankResumeRequested";

export type DecodedOperatorRecord = { [N in OperatorRecordName]: Decoded<N> }[OperatorRecordName];

export function operatorFact(decoded: DecodedOperatorRecord): Fact {
  switch (decoded.name) {
    case "WithdrawalRequested":
      return { kind: decoded.name, action: actionOf(decoded.value.action) };
    case "RedriveRequested": {
      const { action, messageIdentification } = decoded.value;
      const target = known(decoded.value.target, { DELIVERY: "delivery", POSTING: "posting" } as const);
      return { kind: decoded.name, action: actionOf(action), target, messageIdentification };
    }
    case "ItemResolutionRequested": {
      const { action, day, replacedBy, needsSecondPerson } = decoded.value;
      const resolution = known(decoded.value.resolution, { MADE: "made", NOT_MADE: "not-made", REPLACED: "replaced" } as const);
      return { kind: decoded.name, action: actionOf(action), day, resolution, replacedBy, needsSecondPerson };
    }
    case "ItemResolutionConfirmed":
      return { kind: decoded.name, action: actionOf(decoded.value.action), confirms: decoded.value.confirms };
    case "DeadLettersReplayed":
      return { kind: decoded.name, action: actionOf(decoded.value.action), records: decoded.value.records };
    case "CloseExtensionRequested": {
      const { action, scheme, businessDate, windowNumber, closesAtMs } = decoded.value;
      return { kind: decoded.name, action: actionOf(action), scheme, businessDate, windowNumber, closesAtMs };
    }
    case "GateOpeningRequested": {
      const { action, scheme, businessDate, bank, credits } = decoded.value;
      return { kind: decoded.name, action: actionOf(action), scheme, businessDate, bank, credits: [...credits] };
    }
    case "BankPauseRequested": {
      const { action, bank, untilMs } = decoded.value;
      return { kind: decoded.name, action: actionOf(action), bank, untilMs };
    }
    case "BankResumeRequested":
      return { kind: decoded.name, action: actionOf(decoded.value.action), bank: decoded.value.bank };
    default:
      return unreachable(decoded);
  }
}

export function actionOf({ id, operator, reason, requestedAtMs }: wire.OperatorAction): OperatorAction {
  return { id, operator, reason, requestedAtMs };
}
