// Which configured bank an agent of a message belongs to. One rule for everybody who asks: ingress (who may send what), validator
// (whom the debit goes to).
//
// #1 An agent is found by its memberId, its bicfi and its branch; one that is known is enough.
// #2 Members that lead to different banks contradict each other, and nobody guesses which is meant.

import type { Bank, BankAgent } from "./configuration.ts";

export interface AgentNames {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branch: { readonly identification: string } | null;
}

export type AgentBank = { readonly kind: "known"; readonly bank: Bank } | { readonly kind: "unknown" } | { readonly kind: "contradicting" };

export function bankOfAgent(banks: readonly Bank[], agent: AgentNames): AgentBank {
  const found = new Set(
    [
      bankWith(banks, (known) => known.memberId !== null && known.memberId === agent.memberId),
      bankWith(banks, (known) => known.bicfi !== null && known.bicfi === agent.bicfi),
      bankWith(banks, (known) => agent.branch !== null && isInRanges(known, agent.branch.identification)),
    ].filter((bank) => bank !== undefined),
  );
  const [bank] = found;
  if (bank === undefined) return { kind: "unknown" };
  return found.size === 1 ? { kind: "known", bank } : { kind: "contradicting" };
}

function bankWith(banks: readonly Bank[], isMeant: (agent: BankAgent) => boolean): Bank | undefined {
  return banks.find((bank) => bank.agents.some((agent) => isMeant(agent)));
}

/** Branch codes are six digits, so their order as text is their order as numbers. */
function isInRanges(agent: BankAgent, branch: string): boolean {
  return agent.branchRanges.some(([from, to]) => branch.length === from.length && branch >= from && branch <= to);
}
