// Parses and authorizes a declaration of credits final. Ingress refuses what no day could accept; the day itself
// decides the rest by its plan, and recognizes a repeat.
//
// #1 Only the declarer that the configuration names for the scheme may declare: a connector of that scheme, or each
//    bank for itself.
// #2 The business date must be one of a scheme that holds debits, from today to as far ahead as days are planned. A
//    date is past when the calendar date of its reconciliation close is past: an operator can extend a close, and then
//    only the day knows.

import { datesAhead, localDate, planDay } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import { readCreditsFinal } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import { refusal, type Refusal } from "../http/answer.ts";
import { authorizeScheme } from "./authorize.ts";
import type { IntakeResult, IngressOperation, Submission } from "./operation.ts";

const plannedDaysAhead = 7;

export function authorizeCreditsFinal(
  sender: IngressOperation["sender"],
  { caller, configuration, body, receivedAtMs }: Submission,
): IntakeResult {
  const reading = readCreditsFinal(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { scheme, businessDate } = reading.read.message;
  const authorized = authorizeScheme(configuration, caller, scheme, "/scheme");
  if (!authorized.ok) return { ...authorized, subject: null };
  const refused = declarerRefusal(authorized.scheme, sender) ?? dateRefusal(authorized.scheme, businessDate, receivedAtMs);
  if (refused !== null) return { ok: false, refusal: refused, subject: null };
  const value = { scheme, businessDate, requestedBy: caller, bank: sender === "bank" ? caller : null, receivedAtMs, action: null };
  return { ok: true, key: dayKey(scheme, businessDate), subject: null, decoded: { name: "CreditsFinalRequested", value } };
}

function declarerRefusal({ takesDebits, creditsFinal }: Scheme, sender: IngressOperation["sender"]): Refusal | null {
  if (!takesDebits) return refusal(422, "Nothing waits", "/scheme: no debits are held for this scheme.");
  if (creditsFinal === "clock") return refusal(422, "Not declared by message", "/scheme: the clock declares the credits of this scheme.");
  if (creditsFinal === sender) return null;
  const declarers = creditsFinal === "bank" ? "banks, each for itself," : "the connector";
  return refusal(422, "Declared by another", `/scheme: ${declarers} must declare the credits of this scheme.`);
}

function dateRefusal({ id, times }: Scheme, businessDate: string, receivedAtMs: number): Refusal | null {
  const today = localDate(times, receivedAtMs);
  if (businessDate > (datesAhead(times, receivedAtMs, plannedDaysAhead).at(-1) ?? today)) {
    return refusal(422, "Unknown date", `/businessDate: days are known until ${plannedDaysAhead} days ahead.`);
  }
  const { isWorkingDay, reconciliationAtMs } = planDay(times, id, businessDate);
  if (localDate(times, reconciliationAtMs) < today) return refusal(422, "Past date", "/businessDate: this business day is over.");
  if (isWorkingDay) return null;
  return refusal(422, "Not a working day", "/businessDate: nothing is processed on this date.");
}
