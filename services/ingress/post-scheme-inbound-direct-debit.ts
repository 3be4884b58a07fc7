// inboundDirectDebit to the switch: a connector hands over an off-us debit of its scheme. Only the debtor's agent must be a bank of ours;
// the others are carried through, whoever they are.

import { readDirectDebit } from "@sluice/contracts";
import { judgeAgent, judgeScheme, provisionalClose } from "./judge-parts.ts";
import { served, subjectOf, type Judgement, type Operation, type Submission } from "./operation.ts";

export const schemeInboundDirectDebit: Operation = { name: "inboundDirectDebit", ...served("schemeInboundDirectDebit"), judge };

function judge({ caller, configuration, body, receivedAtMs }: Submission): Judgement {
  const reading = readDirectDebit(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: debit, contentHash, substanceHash } = reading.read;
  const subject = subjectOf(debit);
  const scheme = judgeScheme(configuration, caller, debit.paymentScheme.schema, "/paymentScheme/schema");
  if (!scheme.ok) return { ...scheme, subject };
  const debtors = judgeAgent(configuration, debit.debtorAgent, "/debtorAgent");
  if (!debtors.ok) return { ...debtors, subject };
  const deadline = provisionalClose(scheme.scheme, receivedAtMs);
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, ...deadline, debit, flow: "OFF_US", bank: debtors.bank };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "DirectDebitReceived", value } };
}
