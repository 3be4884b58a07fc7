// Credits of a business day are declared final: what ingress can say of it without asking the day. The day itself decides, by its plan, and
// takes a repeat as one; here is refused what no day could take.
//
// #1 Only who declares the credits of the scheme by its configuration: a connector that speaks for it, or each bank for itself.
// #2 Only a business date of a scheme that holds debits, from today to as far ahead as days are planned. A date is past when the calendar
//    date of its reconciliation close is: an operator may put a close back, and then the day knows better.

import { datesAhead, localDate, planDay } from "@sluice/calendar";
import type { Scheme } from "@sluice/config";
import { readCreditsFinal } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import { refusal, type Refusal } from "./answer.ts";
import { judgeScheme } from "./judge-parts.ts";
import type { Judgement, Operation, Submission } from "./operation.ts";

const plannedDaysAhead = 7;

export function judgeCreditsFinal(sender: Operation["sender"], { caller, configuration, body, receivedAtMs }: Submission): Judgement {
  const reading = readCreditsFinal(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { scheme, businessDate } = reading.read.message;
  const judged = judgeScheme(configuration, caller, scheme, "/scheme");
  if (!judged.ok) return { ...judged, subject: null };
  const refused = declarerRefusal(judged.scheme, sender) ?? dateRefusal(judged.scheme, businessDate, receivedAtMs);
  if (refused !== null) return { ok: false, refusal: refused, subject: null };
  const value = { scheme, businessDate, requestedBy: caller, bank: sender === "bank" ? caller : null, receivedAtMs, action: null };
  return { ok: true, key: dayKey(scheme, businessDate), subject: null, decoded: { name: "CreditsFinalRequested", value } };
}

function declarerRefusal({ takesDebits, creditsFinal }: Scheme, sender: Operation["sender"]): Refusal | null {
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
