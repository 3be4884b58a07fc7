// Turns records of the journal into facts and markers of the domain. Together with `to-wire.ts` it is the only bridge.
//
// #1 A symbol that only a newer writer knows is never guessed: a retryable Fault stops the partition until the reader
//    is upgraded.
// #2 The id of a marker's copy ends with its partition; the domain's marker does not have it.

import type { BankMarker, DayFact, DayPlanned, DayTimeReached, Fact, Marker, TransactionFact } from "@sluice/domain";
import { Fault, unreachable } from "@sluice/kernel";
import type { AnyDecodedRecord } from "../api.ts";
import type * as wire from "../generated/records.ts";
import { mapSymbol } from "./map-symbol.ts";
import { toOperatorAction, operatorFact } from "./operator-from-wire.ts";
import { operatorContentSha256 } from "./operator-content.ts";
import { isOfKind } from "./record-kinds.ts";
import { readReportOutcome } from "../messages/read/report-outcome.ts";

/**
 * Builds the fact of a record under its key (UETR, `scheme:date` or `bank:<id>`). Returns null for a record that is not
 * a fact: a marker, or a record of another topic.
 */
export function factFromRecord(decoded: AnyDecodedRecord, key: string): Fact | null {
  if (!isOfKind(decoded, "transaction", "day", "bank")) return null;
  switch (decoded.name) {
    case "DirectDebitReceived":
      return debitFact(decoded.value, key);
    case "CreditTransferReceived":
      return creditFact(decoded.value, key);
    case "AccountVerified":
      return verdictFact(decoded.value);
    case "Release":
      return { kind: "Release", ...decoded.value };
    case "DeliveryEnded":
      return deliveryFact(decoded.value);
    case "StatusReportReceived":
      return reportFact(decoded.value);
    case "DayClosed":
      return { kind: "DayClosed", day: decoded.value.day };
    case "DeadlinePassed":
      return { kind: "DeadlinePassed", deadlineMs: decoded.value.deadlineMs };
    case "DayPlanned":
      return dayPlannedFact(decoded.value);
    case "DayTimeReached": {
      const { scheme, businessDate, kind, number } = decoded.value;
      return { kind: "DayTimeReached", scheme, businessDate, time: mapDayTime(kind), number };
    }
    case "PartitionCredits":
      return creditsAnswerFact(decoded.value);
    case "PartitionBankClear":
      return bankClearFact(decoded.value);
    case "CreditsFinalRequested": {
      const { scheme, businessDate, requestedBy, bank, action } = decoded.value;
      return {
        kind: "CreditsFinalRequested",
        scheme,
        businessDate,
        requestedBy,
        bank,
        action: action === null ? null : toOperatorAction(action, operatorContentSha256(decoded)),
      };
    }
    case "WithdrawalRequested":
    case "RedriveRequested":
    case "DeliveryStopRequested":
    case "ItemResolutionRequested":
    case "ItemResolutionConfirmed":
    case "ItemResolutionRejected":
    case "ItemNoteRequested":
    case "DeadLettersReplayed":
    case "CloseExtensionRequested":
    case "GateOpeningRequested":
    case "BankPauseRequested":
    case "BankResumeRequested":
      return operatorFact(decoded);
    default:
      return unreachable(decoded);
  }
}

/** Builds the bank marker of a record; null where the record is not one. */
export function bankMarkerFromRecord(decoded: AnyDecodedRecord): BankMarker | null {
  if (!isOfKind(decoded, "bank-marker")) return null;
  return decoded.name === "BankPaused"
    ? { kind: decoded.name, ...withoutPartition(decoded.value) }
    : { kind: decoded.name, ...withoutPartition(decoded.value) };
}

/** Builds the day marker of a record; null where the record is not one. */
export function markerFromRecord(decoded: AnyDecodedRecord): Marker | null {
  if (!isOfKind(decoded, "day-marker")) return null;
  switch (decoded.name) {
    case "DayTimes":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "DayVoid":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "WindowOpened":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "WindowClosed":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "CreditsDeclared":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "GateOpened":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    case "DayReconciled":
      return { kind: decoded.name, ...withoutPartition(decoded.value) };
    default:
      return unreachable(decoded);
  }
}

function withoutPartition<T extends { readonly id: string; readonly partition: number }>(copy: T): Omit<T, "partition"> {
  const { partition, ...marker } = copy;
  const suffix = `:${partition}`;
  if (!copy.id.endsWith(suffix)) {
    throw new Fault("contracts.unreadable", `a marker's id does not end with its partition ${partition}`, { isRetryable: false });
  }
  return { ...marker, id: copy.id.slice(0, -suffix.length) };
}

function debitFact(received: wire.DirectDebitReceived, uetr: string): TransactionFact {
  const { debit } = received;
  const { value, currency } = debit.amounts.bankSettlementAmount;
  const flow = mapSymbol(received.flow, { ON_US: "on-us", OFF_US: "off-us" } as const);
  const fact = {
    kind: "DirectDebitReceived",
    uetr,
    message: buildIdentity(received, debit.messageIdentifiers),
    receivedAtMs: received.receivedAtMs,
    reconciliationDay: received.reconciliationDay,
    closesAtMs: received.closesAtMs,
    scheme: debit.paymentScheme.schema,
    amountTenThousandths: value,
    currency,
  } as const;
  if (flow === "on-us") return { ...fact, flow, bank: null };
  const { bank } = received;
  if (bank === null) throw new Fault("contracts.unreadable", "an off-us debit names no bank", { isRetryable: false });
  return { ...fact, flow, bank };
}

function creditFact(received: wire.CreditTransferReceived, uetr: string): TransactionFact {
  const { credit, bank, businessDate, deadlineMs, receivedAtMs } = received;
  const { value, currency } = credit.amounts.bankSettlementAmount;
  return {
    kind: "CreditTransferReceived",
    uetr,
    message: buildIdentity(received, credit.messageIdentifiers),
    receivedAtMs,
    bank,
    businessDate,
    deadlineMs,
    scheme: credit.paymentScheme.schema,
    amountTenThousandths: value,
    currency,
  };
}

function reportFact(received: wire.StatusReportReceived): TransactionFact {
  const { report } = received;
  return {
    kind: "StatusReportReceived",
    about: mapSymbol(received.operation, {
      inboundDirectDebitResponse: "debit",
      inboundCreditTransferAuthorizationResponse: "credit",
    } as const),
    message: buildIdentity(received, report.messageIdentifiers),
    receivedAtMs: received.receivedAtMs,
    outcome: readReportOutcome(report),
    originalMessageIdentification: report.originalMessageIdentifiers.messageIdentification,
  };
}

function buildIdentity(
  { sender, contentHash, substanceHash }: Pick<wire.DirectDebitReceived, "sender" | "contentHash" | "substanceHash">,
  { messageIdentification }: wire.MessageIdentifiers,
) {
  return { sender, messageIdentification, contentHash, substanceHash };
}

function verdictFact(verified: wire.AccountVerified): TransactionFact {
  const { sender, messageIdentification, contentHash, bank, businessDate, reconciliationDay, deadlineMs } = verified;
  return {
    kind: "AccountVerified",
    validatedMessage: { sender, messageIdentification, contentHash },
    verdict: mapSymbol(verified.verdict, { ACCEPTED: "accepted", REFUSED: "refused" } as const),
    bank,
    businessDate,
    reconciliationDay,
    deadlineMs,
    wantsOutcomeReport: verified.onUsOutcomeReport,
    carryOversMax: verified.carryOversMax,
  };
}

function deliveryFact(ended: wire.DeliveryEnded): TransactionFact {
  return {
    kind: "DeliveryEnded",
    messageIdentification: ended.messageIdentification,
    outcome: mapSymbol(ended.outcome, { ACKNOWLEDGED: "acknowledged", REFUSED: "refused", STOPPED: "stopped" } as const),
    evidence: {
      attempts: ended.attempts,
      anyAnswer: ended.anyAnswer,
      mayHaveBeenTaken: ended.mayHaveBeenTaken,
      httpStatusCode: findLastCode(ended),
      isBreakerOpen: ended.isBreakerOpen,
      isReceiverPaused: ended.isReceiverPaused,
    },
  };
}

/**
 * The status code of the response that ended the delivery. For a stopped delivery it is the newest response, because
 * people have to investigate it.
 */
function findLastCode({ outcome, httpStatusCode, recentAttempts }: wire.DeliveryEnded): number | null {
  if (httpStatusCode !== null || outcome !== "STOPPED") return httpStatusCode;
  return recentAttempts.findLast((attempt) => attempt.httpStatusCode !== null)?.httpStatusCode ?? null;
}

/** Copies the windows, because avsc's objects are not plain objects and a day keeps its plan. */
function dayPlannedFact(planned: wire.DayPlanned): DayFact {
  const windows = planned.windows.map((window) => ({ ...window }));
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, cutOffAtMs, reconciliationAtMs, nextBusinessDate } = planned;
  return {
    kind: "DayPlanned",
    scheme,
    businessDate,
    zone,
    calendarVersion,
    isWorkingDay,
    windows,
    cutOffAtMs,
    reconciliationAtMs,
    nextBusinessDate,
    creditsFinal: mapCreditsFinal(planned.creditsFinal),
    partitionCount: planned.partitionCount,
  };
}

function creditsAnswerFact(answer: wire.PartitionCredits): DayFact {
  const { scheme, businessDate, declaration, banksUnresolved } = answer;
  return { kind: "PartitionCredits", scheme, businessDate, partition: answer.partition, declaration, banksUnresolved };
}

function bankClearFact(clear: wire.PartitionBankClear): DayFact {
  const { scheme, businessDate, declaration, bank } = clear;
  return { kind: "PartitionBankClear", scheme, businessDate, partition: clear.partition, declaration, bank };
}

function mapDayTime(kind: wire.DayTimeKind): DayTimeReached["time"] {
  return mapSymbol(kind, { WINDOW_OPENS: "window-opens", WINDOW_CLOSES: "window-closes", RECONCILIATION: "reconciliation" } as const);
}

function mapCreditsFinal(text: string): DayPlanned["creditsFinal"] {
  return mapSymbol(text, { clock: "clock", bank: "bank", connector: "connector" } as const);
}
