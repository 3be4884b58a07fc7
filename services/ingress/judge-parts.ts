// What the judgements of several operations ask, each with the one answer that refuses it.

import { firstReconciliationCloseAfter } from "@sluice/calendar";
import { bankOfAgent, schemeOf, type AgentNames, type Configuration, type Scheme } from "@sluice/config";
import { dayKey } from "@sluice/domain";
import { refusal, type Refusal } from "./answer.ts";

type Judged<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly refusal: Refusal };

const deadlineAheadMs = 3_600_000;

/** A scheme that is served here, and of a connector only one that it speaks for. */
export function judgeScheme(configuration: Configuration, caller: string, id: string, path: string): Judged<{ readonly scheme: Scheme }> {
  const scheme = schemeOf(configuration, id);
  if (scheme === undefined) return refused(refusal(422, "Unknown scheme", `${path}: this scheme is not served here.`));
  const connector = configuration.connectors.find((known) => known.id === caller);
  if (connector === undefined || connector.schemes.includes(id)) return { ok: true, scheme };
  return refused(refusal(403, "Not allowed", `${path}: you do not speak for this scheme.`));
}

/** The configured bank that an agent belongs to. */
export function judgeAgent(configuration: Configuration, agent: AgentNames, path: string): Judged<{ readonly bank: string }> {
  const found = bankOfAgent(configuration.banks, agent);
  if (found.kind === "known") return { ok: true, bank: found.bank.id };
  if (found.kind === "unknown") return refused(refusal(422, "Unknown agent", `${path}: no configured bank stands for this agent.`));
  return refused(refusal(422, "Contradicting agent", `${path}: memberId, bicfi and branch do not belong to the same bank.`));
}

/** The provisional deadline of a debit: the first reconciliation close at least an hour after its receipt. */
export function provisionalClose(scheme: Scheme, receivedAtMs: number): { readonly closesWith: string; readonly closesAtMs: number } {
  const { businessDate, closesAtMs } = firstReconciliationCloseAfter(scheme.times, receivedAtMs, deadlineAheadMs);
  return { closesWith: dayKey(scheme.id, businessDate), closesAtMs };
}

function refused(why: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: why };
}
