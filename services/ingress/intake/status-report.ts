// Parses and authorizes a bank's report on a message that it was sent. Ingress has no state, so it does not ask whether
// the transaction exists or whose it is: the scheduler decides that in the order of the journal. Any configured bank
// may send a report.

import type { Scheme } from "@sluice/config";
import { readStatusReport } from "@sluice/contracts";
import { refusal } from "../http/answer.ts";
import { authorizeScheme } from "./authorize.ts";
import { readSubject, type IntakeResult, type IngressOperation, type Submission } from "./operation.ts";

/** `isOfScheme` tells whether a scheme has messages of this flow at all. */
export function authorizeReport(
  operation: IngressOperation["name"],
  { caller, configuration, body, receivedAtMs }: Submission,
  isOfScheme: (scheme: Scheme) => boolean,
): IntakeResult {
  const reading = readStatusReport(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: report, contentHash, substanceHash } = reading.read;
  const subject = readSubject(report);
  const authorized = authorizeScheme(configuration, caller, report.paymentScheme.schema, "/paymentScheme/schema");
  if (!authorized.ok) return { ...authorized, subject };
  if (!isOfScheme(authorized.scheme)) {
    return { ok: false, refusal: refusal(422, "Wrong scheme", "/paymentScheme/schema: this scheme has no direct debits."), subject };
  }
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, report, operation };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "StatusReportReceived", value } };
}
