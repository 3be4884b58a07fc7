// outboundDirectDebit: a bank submits a debit. Refused here is what no journal should hold: what is not the message, what the caller may
// not send, what no scheme or bank of ours could take. Everything about accounts, limits and dates is the validator's.
//
// #1 The caller stands for the creditor's agent (403), and the debtor's agent is the same bank (422): only on-us debits come this way.
// #2 `receivedAt` is stamped here, and with it the provisional deadline.

import type { Configuration } from "@sluice/config";
import { readDirectDebit, type DirectDebit } from "@sluice/contracts";
import { refusal, type Refusal } from "./answer.ts";
import { judgeAgent, judgeScheme, provisionalClose } from "./judge-parts.ts";
import { served, subjectOf, type Judgement, type Operation, type Submission } from "./operation.ts";

export const outboundDirectDebit: Operation = { name: "outboundDirectDebit", ...served("outboundDirectDebit"), judge };

function judge({ caller, configuration, body, receivedAtMs }: Submission): Judgement {
  const reading = readDirectDebit(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: debit, contentHash, substanceHash } = reading.read;
  const subject = subjectOf(debit);
  const scheme = judgeScheme(configuration, caller, debit.paymentScheme.schema, "/paymentScheme/schema");
  if (!scheme.ok) return { ...scheme, subject };
  const refused = agentRefusal(configuration, caller, debit);
  if (refused !== null) return { ok: false, refusal: refused, subject };
  const deadline = provisionalClose(scheme.scheme, receivedAtMs);
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, ...deadline, debit, flow: "ON_US", bank: "" };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "DirectDebitReceived", value } };
}

function agentRefusal(configuration: Configuration, caller: string, debit: DirectDebit): Refusal | null {
  const creditors = judgeAgent(configuration, debit.creditorAgent, "/creditorAgent");
  if (!creditors.ok) return creditors.refusal;
  if (creditors.bank !== caller) return refusal(403, "Not allowed", "/creditorAgent: you do not stand for this agent.");
  const debtors = judgeAgent(configuration, debit.debtorAgent, "/debtorAgent");
  if (!debtors.ok) return debtors.refusal;
  if (debtors.bank === caller) return null;
  return refusal(422, "Not an on-us debit", "/debtorAgent: a debit to another bank cannot be sent this way.");
}
