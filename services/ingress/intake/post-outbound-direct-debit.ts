// outboundDirectDebit: a bank submits a debit. Ingress refuses what the journal must not hold: a body that is no debit,
// a debit that the caller may not send, and one that no configured scheme or bank could accept. The validator checks
// accounts, limits and dates.
//
// #1 The caller is the bank of the creditor's agent (403), and the debtor's agent belongs to the same bank (422): only
//    on-us debits come this way.
// #2 `receivedAt` is stamped here, and the provisional deadline follows from it.

import type { Configuration } from "@sluice/config";
import { readDirectDebit, type DirectDebit } from "@sluice/contracts";
import { refusal, type Refusal } from "../http/answer.ts";
import { resolveAgent, authorizeScheme, provisionalClose } from "./authorize.ts";
import { findServedOperation, readSubject, type IntakeResult, type IngressOperation, type Submission } from "./operation.ts";

export const outboundDirectDebit: IngressOperation = {
  name: "outboundDirectDebit",
  ...findServedOperation("outboundDirectDebit"),
  parseAndAuthorize,
};

function parseAndAuthorize({ caller, configuration, body, receivedAtMs }: Submission): IntakeResult {
  const reading = readDirectDebit(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: debit, contentHash, substanceHash } = reading.read;
  const subject = readSubject(debit);
  const scheme = authorizeScheme(configuration, caller, debit.paymentScheme.schema, "/paymentScheme/schema");
  if (!scheme.ok) return { ...scheme, subject };
  const refused = checkAgents(configuration, caller, debit);
  if (refused !== null) return { ok: false, refusal: refused, subject };
  const deadline = provisionalClose(scheme.scheme, receivedAtMs);
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, ...deadline, debit, flow: "ON_US", bank: null };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "DirectDebitReceived", value } };
}

function checkAgents(configuration: Configuration, caller: string, debit: DirectDebit): Refusal | null {
  const creditors = resolveAgent(configuration, debit.creditorAgent, "/creditorAgent");
  if (!creditors.ok) return creditors.refusal;
  if (creditors.bank !== caller) return refusal(403, "Not allowed", "/creditorAgent: you do not stand for this agent.");
  const debtors = resolveAgent(configuration, debit.debtorAgent, "/debtorAgent");
  if (!debtors.ok) return debtors.refusal;
  if (debtors.bank === caller) return null;
  return refusal(422, "Not an on-us debit", "/debtorAgent: a debit to another bank cannot be sent this way.");
}
