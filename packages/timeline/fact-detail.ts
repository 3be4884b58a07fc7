// A record of the journal that is no message, in a few words.

import type { AnyDecoded, Records } from "@sluice/contracts";
import { timeText } from "./time-text.ts";

export interface FactDetail {
  readonly messageIdentification: string | null;
  readonly detail: string;
}

/** null: a message, or nothing about one transaction. */
export function detailOf(decoded: AnyDecoded): FactDetail | null {
  if (decoded.name === "AccountVerified") return about(decoded.value.messageIdentification, ofVerdict(decoded.value));
  if (decoded.name === "Release") return about(null, ofRelease(decoded.value));
  if (decoded.name === "DeliveryEnded") return about(decoded.value.messageIdentification, ofEnd(decoded.value));
  if (decoded.name === "DayClosed") return about(null, decoded.value.day);
  if (decoded.name === "DeadlinePassed") return about(null, timeText(decoded.value.deadlineMs));
  return ofOperator(decoded);
}

/** Who asked for it, and why. */
function ofOperator(decoded: AnyDecoded): FactDetail | null {
  if (decoded.name === "WithdrawalRequested") return about(null, byWhom(decoded.value.action));
  if (decoded.name === "RedriveRequested") {
    const { messageIdentification, target, action } = decoded.value;
    return about(messageIdentification, `${target.toLowerCase()}, ${byWhom(action)}`);
  }
  if (decoded.name === "ItemResolutionRequested") return about(null, `${ofResolution(decoded.value)}, ${byWhom(decoded.value.action)}`);
  if (decoded.name === "ItemResolutionConfirmed") return about(null, `of ${decoded.value.confirms}, ${byWhom(decoded.value.action)}`);
  if (decoded.name === "DeadLettersReplayed") return about(null, `${decoded.value.records} records, ${byWhom(decoded.value.action)}`);
  return null;
}

function byWhom({ operator, reason }: Records["WithdrawalRequested"]["action"]): string {
  return `by ${operator}: ${reason}`;
}

function ofResolution({ resolution, replacedBy, day, needsSecondPerson }: Records["ItemResolutionRequested"]): string {
  const other = replacedBy === null ? "" : ` by ${replacedBy}`;
  return `${resolution}${other} on ${day}${needsSecondPerson ? ", to be confirmed" : ""}`;
}

function about(messageIdentification: string | null, detail: string): FactDetail {
  return { messageIdentification, detail };
}

function ofVerdict({ verdict, bank, businessDate, deadlineMs, reasons }: Records["AccountVerified"]): string {
  const until = deadlineMs === null ? "" : `, until ${timeText(deadlineMs)}`;
  if (reasons.length === 0) return `${verdict}, to ${bank} on ${businessDate}${until}`;
  return `${verdict}: ${reasons.map(({ code, text }) => `${code} ${text}`).join("; ")}`;
}

function ofRelease({ businessDate, windowNumber, bank }: Records["Release"]): string {
  return `to ${bank}, window ${windowNumber} of ${businessDate}`;
}

function ofEnd(end: Records["DeliveryEnded"]): string {
  const { outcome, httpStatusCode, attempts, breakerOpen, bankPaused, mayHaveBeenTaken } = end;
  const answer = httpStatusCode === null ? "" : ` ${httpStatusCode}`;
  const mayBeThere = mayHaveBeenTaken && outcome !== "ACKNOWLEDGED" ? ", may have been taken" : "";
  const circumstances = [mayBeThere, breakerOpen ? ", breaker open" : "", bankPaused ? ", bank paused" : ""].join("");
  return `${outcome}${answer} after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}${circumstances}`;
}
