// Records of the journal → facts and markers in the domain's words. With `to-wire.ts` the only bridge.
//
// 1. A symbol that a newer writer knows and this reader does not is never guessed: a retryable Fault stops the lane until the
//    reader is brought up to date.
// 2. A marker's copy carries its partition at the end of its id; the domain's marker does not.

import type { BankMarker, DayFact, DayPlanned, DayTimeReached, Fact, Marker, TransactionFact } from "@sluice/domain";
import { Fault, unreachable } from "@sluice/runtime";
import type { AnyDecoded } from "./api.ts";
import type * as wire from "./generated/records.ts";
import { known } from "./known.ts";
import { actionOf, operatorFact } from "./operator-from-wire.ts";
import { outcomeOf } from "./status-meaning.ts";

/** The fact of a record under its key (UETR, `scheme:date` or `bank:<id>`); null for a record that is none (markers, records of other topics). */
export function factFromRecord(decoded: AnyDecoded, key: string): Fact | null {
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
      return { kind: "DayTimeReached", scheme, businessDate, time: timeOf(kind), number };
    }
    case "LaneCredits":
      return { kind: "LaneCredits", ...decoded.value };
    case "LaneBankClear":
      return { kind: "LaneBankClear", ...decoded.value };
    case "CreditsFinalRequested": {
      const { scheme, businessDate, requestedBy, bank, action } = decoded.value;
      return { kind: "CreditsFinalRequested", scheme, businessDate, requestedBy, bank, action: action === null ? null : actionOf(action) };
    }
    case "WithdrawalRequested":
    case "RedriveRequested":
    case "ItemResolutionRequested":
    case "ItemResolutionConfirmed":
    case "DeadLettersReplayed":
    case "CloseExtensionRequested":
    case "GateOpeningRequested":
    case "BankPauseRequested":
    case "BankResumeRequested":
      return operatorFact(decoded);
    case "BankPaused":
    case "BankResumed":
    case "TransactionSnapshot":
    case "DayTimes":
    case "DayVoid":
    case "WindowOpened":
    case "WindowClosed":
    case "CreditsDeclared":
    case "GateOpened":
    case "DayReconciled":
    case "Dispatch":
    case "DispatchChange":
    case "TransactionStateEvent":
    case "EsmStateEvent":
    case "Receipt":
    case "DeadLetter":
      return null;
    default:
      return unreachable(decoded);
  }
}

/** The marker of a bank in a record; null for a record that is none. */
export function bankMarkerFromRecord(decoded: AnyDecoded): BankMarker | null {
  if (decoded.name === "BankPaused") return { kind: decoded.name, ...withoutPartition(decoded.value) };
  if (decoded.name === "BankResumed") return { kind: decoded.name, ...withoutPartition(decoded.value) };
  return null;
}

/** The marker of a day in a record; null for a record that is none. */
export function markerFromRecord(decoded: AnyDecoded): Marker | null {
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
    case "DirectDebitReceived":
    case "CreditTransferReceived":
    case "StatusReportReceived":
    case "AccountVerified":
    case "Release":
    case "DeliveryEnded":
    case "DayClosed":
    case "DeadlinePassed":
    case "DayPlanned":
    case "DayTimeReached":
    case "LaneCredits":
    case "LaneBankClear":
    case "CreditsFinalRequested":
    case "WithdrawalRequested":
    case "RedriveRequested":
    case "ItemResolutionRequested":
    case "ItemResolutionConfirmed":
    case "DeadLettersReplayed":
    case "CloseExtensionRequested":
    case "GateOpeningRequested":
    case "BankPauseRequested":
    case "BankResumeRequested":
    case "BankPaused":
    case "BankResumed":
    case "TransactionSnapshot":
    case "Dispatch":
    case "DispatchChange":
    case "TransactionStateEvent":
    case "EsmStateEvent":
    case "Receipt":
    case "DeadLetter":
      return null;
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
  return {
    kind: "DirectDebitReceived",
    flow: known(received.flow, { ON_US: "on-us", OFF_US: "off-us" } as const),
    uetr,
    message: identityOf(received, debit.messageIdentifiers),
    bank: received.bank === "" ? null : received.bank,
    receivedAtMs: received.receivedAtMs,
    closesWith: received.closesWith,
    closesAtMs: received.closesAtMs,
    scheme: debit.paymentScheme.schema,
    amountTenThousandths: value,
    currency,
  };
}

function creditFact(received: wire.CreditTransferReceived, uetr: string): TransactionFact {
  const { credit, bank, businessDate, deadlineMs, receivedAtMs } = received;
  const { value, currency } = credit.amounts.bankSettlementAmount;
  return {
    kind: "CreditTransferReceived",
    uetr,
    message: identityOf(received, credit.messageIdentifiers),
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
    about: known(received.operation, {
      inboundDirectDebitResponse: "debit",
      inboundCreditTransferAuthorizationResponse: "credit",
    } as const),
    message: identityOf(received, report.messageIdentifiers),
    receivedAtMs: received.receivedAtMs,
    outcome: outcomeOf(report),
    originalMessageIdentification: report.originalMessageIdentifiers.messageIdentification,
  };
}

function identityOf(
  { sender, contentHash, substanceHash }: Pick<wire.DirectDebitReceived, "sender" | "contentHash" | "substanceHash">,
  { messageIdentification }: wire.MessageIdentifiers,
) {
  return { sender, messageIdentification, contentHash, substanceHash };
}

function verdictFact(verified: wire.AccountVerified): TransactionFact {
  const { sender, messageIdentification, contentHash, bank, businessDate, closesWith, deadlineMs } = verified;
  return {
    kind: "AccountVerified",
    judged: { sender, messageIdentification, contentHash },
    verdict: known(verified.verdict, { ACCEPTED: "accepted", REFUSED: "refused" } as const),
    bank,
    businessDate,
    closesWith,
    deadlineMs,
    wantsOutcomeReport: verified.onUsOutcomeReport,
    rollsMax: verified.rollsMax,
  };
}

function deliveryFact(ended: wire.DeliveryEnded): TransactionFact {
  return {
    kind: "DeliveryEnded",
    messageIdentification: ended.messageIdentification,
    outcome: known(ended.outcome, { ACKNOWLEDGED: "acknowledged", REFUSED: "refused", STOPPED: "stopped" } as const),
    evidence: {
      attempts: ended.attempts,
      anyAnswer: ended.anyAnswer,
      mayHaveBeenTaken: ended.mayHaveBeenTaken,
      httpStatusCode: lastCode(ended),
      isBreakerOpen: ended.breakerOpen,
      isBankPaused: ended.bankPaused,
    },
  };
}

/** Of the answer that ended it; of a delivery that was stopped, what it had been answered last: people have to look into that. */
function lastCode({ outcome, httpStatusCode, recentAttempts }: wire.DeliveryEnded): number | null {
  if (httpStatusCode !== null || outcome !== "STOPPED") return httpStatusCode;
  return recentAttempts.findLast((attempt) => attempt.httpStatusCode !== null)?.httpStatusCode ?? null;
}

/** Windows are copied: what Avro decodes is no plain object, and a day keeps its plan. */
function dayPlannedFact(planned: wire.DayPlanned): DayFact {
  const windows = planned.windows.map((window) => ({ ...window }));
  return { kind: "DayPlanned", ...planned, windows, creditsFinal: creditsFinalOf(planned.creditsFinal) };
}

function timeOf(kind: wire.DayTimeKind): DayTimeReached["time"] {
  return known(kind, { WINDOW_OPENS: "window-opens", WINDOW_CLOSES: "window-closes", RECONCILIATION: "reconciliation" } as const);
}

function creditsFinalOf(text: string): DayPlanned["creditsFinal"] {
  return known(text, { clock: "clock", bank: "bank", connector: "connector" } as const);
}
