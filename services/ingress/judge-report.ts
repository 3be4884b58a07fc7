// A bank's report on a message that it was sent. Ingress has no state, so it does not ask whether the transaction exists or whose it is:
// the scheduler judges that, in the order of the journal. A report is accepted from any configured bank.

import type { Scheme } from "@sluice/config";
import { readStatusReport } from "@sluice/contracts";
import { refusal } from "./answer.ts";
import { judgeScheme } from "./judge-parts.ts";
import { subjectOf, type Judgement, type Operation, type Submission } from "./operation.ts";

/** `isOfScheme`: whether messages of the flow exist in a scheme at all. */
export function judgeReport(
  operation: Operation["name"],
  { caller, configuration, body, receivedAtMs }: Submission,
  isOfScheme: (scheme: Scheme) => boolean,
): Judgement {
  const reading = readStatusReport(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: report, contentHash, substanceHash } = reading.read;
  const subject = subjectOf(report);
  const judged = judgeScheme(configuration, caller, report.paymentScheme.schema, "/paymentScheme/schema");
  if (!judged.ok) return { ...judged, subject };
  if (!isOfScheme(judged.scheme)) {
    return { ok: false, refusal: refusal(422, "Wrong scheme", "/paymentScheme/schema: this scheme has no direct debits."), subject };
  }
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, report, operation };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "StatusReportReceived", value } };
}
