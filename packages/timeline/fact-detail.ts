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
  return null;
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
