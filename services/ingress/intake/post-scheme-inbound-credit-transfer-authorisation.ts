// inboundCreditTransferAuthorization: a connector hands over a credit of one of its schemes. Only the creditor's agent
// must be a configured bank; the other parties are passed on unchecked.
//
// #1 `receivedAt` is stamped here, and the provisional business date and deadline follow from it until the verdict
//    replaces them.

import { creditBusinessDate } from "@sluice/calendar";
import { readCreditTransfer } from "@sluice/contracts";
import { resolveAgent, authorizeScheme } from "./authorize.ts";
import { findServedOperation, readSubject, type IntakeResult, type IngressOperation, type Submission } from "./operation.ts";

export const schemeInboundCreditTransferAuthorization: IngressOperation = {
  name: "inboundCreditTransferAuthorization",
  ...findServedOperation("schemeInboundCreditTransferAuthorization"),
  parseAndAuthorize,
};

function parseAndAuthorize({ caller, configuration, body, receivedAtMs }: Submission): IntakeResult {
  const reading = readCreditTransfer(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: credit, contentHash, substanceHash } = reading.read;
  const subject = readSubject(credit);
  const authorized = authorizeScheme(configuration, caller, credit.paymentScheme.schema, "/paymentScheme/schema");
  if (!authorized.ok) return { ...authorized, subject };
  const creditors = resolveAgent(configuration, credit.creditorAgent, "/creditorAgent");
  if (!creditors.ok) return { ...creditors, subject };
  const { times, creditDeadlineMs } = authorized.scheme;
  const value = {
    sender: caller,
    contentHash,
    substanceHash,
    receivedAtMs,
    bank: creditors.bank,
    businessDate: creditBusinessDate(times.calendar, receivedAtMs),
    deadlineMs: receivedAtMs + creditDeadlineMs,
    credit,
  };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "CreditTransferReceived", value } };
}
