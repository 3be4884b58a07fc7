// outboundDirectDebit: a bank submits a debit. Refused here is what no journal should hold: what is not the message, what the caller may
// not send, what no scheme or bank of ours could take. Everything about accounts, limits and dates is the validator's.
//
// #1 The caller stands for the creditor's agent (403), and the debtor's agent is the same bank (422): only on-us debits come this way.
// #2 `receivedAt` is stamped here, and with it the provisional deadline: the first reconciliation close at least an hour later.

import { firstReconciliationCloseAfter } from "@sluice/calendar";
import { bankOfAgent, schemeOf, type Configuration, type Scheme } from "@sluice/config";
import { readDirectDebit, type DirectDebit } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import { refusal, type Refusal } from "./answer.ts";
import type { Judgement, Operation, Submission } from "./operation.ts";

const deadlineAheadMs = 3_600_000;

export const outboundDirectDebit: Operation = {
  name: "outboundDirectDebit",
  paths: ["/transactions/outbound/direct-debit", "/outbound/direct-debit"],
  judge,
};

function judge(submission: Submission): Judgement {
  const { caller, configuration, receivedAtMs } = submission;
  const reading = readDirectDebit(submission.body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: debit, contentHash, substanceHash } = reading.read;
  const subject = {
    uetr: debit.transactionIdentifiers.uetr.toLowerCase(),
    messageIdentification: debit.messageIdentifiers.messageIdentification,
  };
  const scheme = schemeOf(configuration, debit.paymentScheme.schema);
  const refused = scheme === undefined ? unknownScheme : agentRefusal(configuration, caller, debit);
  if (refused !== null || scheme === undefined) return { ok: false, refusal: refused ?? unknownScheme, subject };
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, ...deadlineOf(scheme, receivedAtMs), debit };
  return { ok: true, subject, decoded: { name: "DirectDebitReceived", value } };
}

const unknownScheme = refusal(422, "Unknown scheme", "/paymentScheme/schema: this scheme is not served here.");

function agentRefusal(configuration: Configuration, caller: string, debit: DirectDebit): Refusal | null {
  const creditors = bankOfAgent(configuration.banks, debit.creditorAgent);
  const debtors = bankOfAgent(configuration.banks, debit.debtorAgent);
  if (creditors.kind !== "known") return agentUnknown("/creditorAgent", creditors.kind);
  if (creditors.bank.id !== caller) return refusal(403, "Not allowed", "/creditorAgent: you do not stand for this agent.");
  if (debtors.kind !== "known") return agentUnknown("/debtorAgent", debtors.kind);
  if (debtors.bank.id === caller) return null;
  return refusal(422, "Not an on-us debit", "/debtorAgent: a debit to another bank cannot be sent this way.");
}

function agentUnknown(path: string, kind: "unknown" | "contradicting"): Refusal {
  if (kind === "unknown") return refusal(422, "Unknown agent", `${path}: no configured bank stands for this agent.`);
  return refusal(422, "Contradicting agent", `${path}: memberId, bicfi and branch do not belong to the same bank.`);
}

function deadlineOf(scheme: Scheme, receivedAtMs: number): { readonly closesWith: string; readonly closesAtMs: number } {
  const { businessDate, closesAtMs } = firstReconciliationCloseAfter(scheme.times, receivedAtMs, deadlineAheadMs);
  return { closesWith: dayKey(scheme.id, businessDate), closesAtMs };
}
