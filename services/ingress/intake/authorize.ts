// Checks that several operations share, each with the one answer that refuses it.

import { firstReconciliationCloseAfter } from "@sluice/calendar";
import { findAgentBank, findConnector, findScheme, type AgentNames, type Configuration, type Scheme } from "@sluice/config";
import { dayKey } from "@sluice/domain";
import { refusal, type Refusal } from "../http/answer.ts";

type Authorized<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly refusal: Refusal };

const deadlineAheadMs = 3_600_000;

/** Finds the scheme; a connector may only use the schemes that it is configured for. */
export function authorizeScheme(
  configuration: Configuration,
  caller: string,
  id: string,
  path: string,
): Authorized<{ readonly scheme: Scheme }> {
  const scheme = findScheme(configuration, id);
  if (scheme === undefined) return refused(refusal(422, "Unknown scheme", `${path}: this scheme is not served here.`));
  const connector = findConnector(configuration, caller);
  if (connector === undefined || connector.schemes.includes(id)) return { ok: true, scheme };
  return refused(refusal(403, "Not allowed", `${path}: you do not speak for this scheme.`));
}

/** Finds the configured bank to which an agent belongs. */
export function resolveAgent(configuration: Configuration, agent: AgentNames, path: string): Authorized<{ readonly bank: string }> {
  const found = findAgentBank(configuration, agent);
  if (found.kind === "known") return { ok: true, bank: found.bank.id };
  if (found.kind === "unknown") return refused(refusal(422, "Unknown agent", `${path}: no configured bank stands for this agent.`));
  return refused(refusal(422, "Contradicting agent", `${path}: memberId, bicfi and branch do not belong to the same bank.`));
}

/** Computes the provisional deadline of a debit: the first reconciliation close at least an hour after its receipt. */
export function provisionalClose(
  scheme: Scheme,
  receivedAtMs: number,
): { readonly reconciliationDay: string; readonly closesAtMs: number } {
  const { businessDate, closesAtMs } = firstReconciliationCloseAfter(scheme.times, receivedAtMs, deadlineAheadMs);
  return { reconciliationDay: dayKey(scheme.id, businessDate), closesAtMs };
}

function refused(why: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: why };
}
