// inboundDirectDebit: a connector hands over an off-us debit of one of its schemes. Only the debtor's agent must be a
// configured bank; the other parties are passed on unchecked.

import { readDirectDebit } from "@sluice/contracts";
import { resolveAgent, authorizeScheme, provisionalClose } from "./authorize.ts";
import { findServedOperation, readSubject, type IntakeResult, type IngressOperation, type Submission } from "./operation.ts";

export const schemeInboundDirectDebit: IngressOperation = {
  name: "inboundDirectDebit",
  ...findServedOperation("schemeInboundDirectDebit"),
  parseAndAuthorize,
};

function parseAndAuthorize({ caller, configuration, body, receivedAtMs }: Submission): IntakeResult {
  const reading = readDirectDebit(body);
  if (!reading.ok) return { ok: false, refusal: { ...reading, retryAfterSeconds: null }, subject: null };
  const { message: debit, contentHash, substanceHash } = reading.read;
  const subject = readSubject(debit);
  const scheme = authorizeScheme(configuration, caller, debit.paymentScheme.schema, "/paymentScheme/schema");
  if (!scheme.ok) return { ...scheme, subject };
  const debtors = resolveAgent(configuration, debit.debtorAgent, "/debtorAgent");
  if (!debtors.ok) return { ...debtors, subject };
  const deadline = provisionalClose(scheme.scheme, receivedAtMs);
  const value = { sender: caller, contentHash, substanceHash, receivedAtMs, ...deadline, debit, flow: "OFF_US", bank: debtors.bank };
  return { ok: true, key: subject.uetr, subject, decoded: { name: "DirectDebitReceived", value } };
}
