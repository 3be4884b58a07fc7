// Describes a journal record that is not a message in a few words.

import type { AnyDecodedRecord, Records } from "@sluice/contracts";
import { formatUtcTime } from "./format-time.ts";

export interface FactDetail {
  readonly messageIdentification: string | null;
  readonly detail: string;
}

/** Returns null for a message, and for a record that is not about one transaction. */
export function describeFact(decoded: AnyDecodedRecord): FactDetail | null {
  if (decoded.name === "AccountVerified") return buildDetail(decoded.value.messageIdentification, describeVerdict(decoded.value));
  if (decoded.name === "Release") return buildDetail(null, describeRelease(decoded.value));
  if (decoded.name === "DeliveryEnded") return buildDetail(decoded.value.messageIdentification, describeEnd(decoded.value));
  if (decoded.name === "DayClosed") return buildDetail(null, decoded.value.day);
  if (decoded.name === "DeadlinePassed") return buildDetail(null, formatUtcTime(decoded.value.deadlineMs));
  return describeRequest(decoded);
}

/** Describes an operator's request with operator and reason. */
function describeRequest(decoded: AnyDecodedRecord): FactDetail | null {
  if (decoded.name === "WithdrawalRequested") return buildDetail(null, describeAction(decoded.value.action));
  if (decoded.name === "RedriveRequested" || decoded.name === "DeliveryStopRequested") {
    const { messageIdentification, target, action } = decoded.value;
    return buildDetail(messageIdentification, `${target.toLowerCase()}, ${describeAction(action)}`);
  }
  if (decoded.name === "ItemResolutionRequested")
    return buildDetail(null, `${describeResolution(decoded.value)}, ${describeAction(decoded.value.action)}`);
  if (decoded.name === "ItemResolutionConfirmed")
    return buildDetail(null, `of ${decoded.value.proposalOffset ?? decoded.value.confirms}, ${describeAction(decoded.value.action)}`);
  if (decoded.name === "ItemResolutionRejected")
    return buildDetail(null, `of ${decoded.value.proposalOffset}, ${describeAction(decoded.value.action)}`);
  if (decoded.name === "ItemNoteRequested") {
    const { day, assignee, action } = decoded.value;
    return buildDetail(null, `item of ${day}, ${assignee === null ? "nobody" : assignee} sees to it, ${describeAction(action)}`);
  }
  if (decoded.name === "DeadLettersReplayed") {
    const { records, left, action } = decoded.value;
    const stays = left.length === 0 ? "" : `, left for good: ${left.join(", ")}`;
    return buildDetail(null, `${records} records${stays}, ${describeAction(action)}`);
  }
  return null;
}

function describeAction({ operator, reason, confirmedBy }: Records["WithdrawalRequested"]["action"]): string {
  return `by ${operator}: ${reason}${confirmedBy === null ? "" : `, confirmed by ${confirmedBy}`}`;
}

function describeResolution({ resolution, replacedBy, day, needsSecondPerson }: Records["ItemResolutionRequested"]): string {
  const other = replacedBy === null ? "" : ` by ${replacedBy}`;
  return `${resolution}${other} on ${day}${needsSecondPerson ? ", to be confirmed" : ""}`;
}

function buildDetail(messageIdentification: string | null, detail: string): FactDetail {
  return { messageIdentification, detail };
}

function describeVerdict({ verdict, bank, businessDate, deadlineMs, reasons }: Records["AccountVerified"]): string {
  const until = deadlineMs === null ? "" : `, until ${formatUtcTime(deadlineMs)}`;
  if (reasons.length === 0) return `${verdict}, to ${bank} on ${businessDate}${until}`;
  return `${verdict}: ${reasons.map(({ code, text }) => `${code} ${text}`).join("; ")}`;
}

function describeRelease({ businessDate, windowNumber, bank }: Records["Release"]): string {
  return `to ${bank}, window ${windowNumber} of ${businessDate}`;
}

function describeEnd(end: Records["DeliveryEnded"]): string {
  const { outcome, httpStatusCode, attempts, isBreakerOpen, isReceiverPaused, mayHaveBeenTaken } = end;
  const answer = httpStatusCode === null ? "" : ` ${httpStatusCode}`;
  const mayBeThere = mayHaveBeenTaken && outcome !== "ACKNOWLEDGED" ? ", may have been taken" : "";
  const circumstances = [mayBeThere, isBreakerOpen ? ", breaker open" : "", isReceiverPaused ? ", bank paused" : ""].join("");
  return `${outcome}${answer} after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}${circumstances}`;
}
