// inboundCreditTransferAuthorization to the switch: a connector hands over a credit of one of its schemes. Only the creditor's agent must
// be a bank of ours; the others are carried through, whoever they are.
//
// #1 `receivedAt` is stamped here, and with it the provisional business date and deadline, which the verdict replaces.

import { creditBusinessDate } from "@sluice/calendar";
import { readCreditTransfer } from "@sluice/contracts";
import { judgeAgent, judgeScheme } from "./judge-parts.ts";
import { served, subjectOf, type Judgement, type Operation, type Submission } from "./operation.ts";

export const schemeInboundCreditTransferAuthorization: Operation = {
  name: "inboundCreditTransferAuthorization",
  ...served("schemeInboundCreditTransferAuthorization"),
  judge,
};

function judge({ caller, configuration, body, receivedAtMs }: Submission): Judgement {
  const reading = readCreditTransfer(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: credit, contentHash, substanceHash } = reading.read;
  const subject = subjectOf(credit);
  const judged = judgeScheme(configuration, caller, credit.paymentScheme.schema, "/paymentScheme/schema");
  if (!judged.ok) return { ...judged, subject };
  const creditors = judgeAgent(configuration, credit.creditorAgent, "/creditorAgent");
  if (!creditors.ok) return { ...creditors, subject };
  const { times, creditDeadlineMs } = judged.scheme;
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
