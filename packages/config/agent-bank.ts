// Finds the configured bank of a message's agent. Ingress (who may send a message) and validator (which bank receives
// the debit) share this rule.
//
// #1 An agent is found by its memberId, its bicfi or its branch; one known member is enough.
// #2 Members that lead to different banks contradict each other, and the result is `contradicting`, never a guess.

import type { Bank, BankAgent } from "./configuration.ts";

export interface AgentNames {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branch: { readonly identification: string } | null;
}

export type AgentBank = { readonly kind: "known"; readonly bank: Bank } | { readonly kind: "unknown" } | { readonly kind: "contradicting" };

export function findAgentBank(banks: readonly Bank[], agent: AgentNames): AgentBank {
  const found = new Set(
    [
      findBank(banks, (known) => known.memberId !== null && known.memberId === agent.memberId),
      findBank(banks, (known) => known.bicfi !== null && known.bicfi === agent.bicfi),
      findBank(banks, (known) => agent.branch !== null && isInRanges(known, agent.branch.identification)),
    ].filter((bank) => bank !== undefined),
  );
  const [bank] = found;
  if (bank === undefined) return { kind: "unknown" };
  return found.size === 1 ? { kind: "known", bank } : { kind: "contradicting" };
}

function findBank(banks: readonly Bank[], isMeant: (agent: BankAgent) => boolean): Bank | undefined {
  return banks.find((bank) => bank.agents.some((agent) => isMeant(agent)));
}

/** Branch codes are six digits, so their order as text is their order as numbers. */
function isInRanges(agent: BankAgent, branch: string): boolean {
  return agent.branchRanges.some(([from, to]) => branch.length === from.length && branch >= from && branch <= to);
}
