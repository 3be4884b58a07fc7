// inboundDirectDebitResponse: a bank reports on a debit that it was sent. Ingress has no state, so it does not ask whether the debit
// exists or whose it is: the scheduler judges that, in the order of the journal. A report is accepted from any configured bank.

import { schemeOf } from "@sluice/config";
import { readStatusReport } from "@sluice/contracts";
import { refusal } from "./answer.ts";
import type { Judgement, Operation, Submission } from "./operation.ts";

export const inboundDirectDebitResponse: Operation = {
  name: "inboundDirectDebitResponse",
  paths: ["/transactions/inbound/direct-debit-response", "/inbound/direct-debit-response"],
  judge,
};

function judge(submission: Submission): Judgement {
  const { caller, configuration, receivedAtMs } = submission;
  const reading = readStatusReport(submission.body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: report, contentHash, substanceHash } = reading.read;
  const subject = {
    uetr: report.transactionIdentifiers.uetr.toLowerCase(),
    messageIdentification: report.messageIdentifiers.messageIdentification,
  };
  if (schemeOf(configuration, report.paymentScheme.schema) === undefined) {
    return { ok: false, refusal: refusal(422, "Unknown scheme", "/paymentScheme/schema: this scheme is not served here."), subject };
  }
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, report };
  return { ok: true, subject, decoded: { name: "StatusReportReceived", value } };
}
