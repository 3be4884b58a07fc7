// What the banks heard in a trial of releases: no bodies are kept, there are too many; of each debit whether its bank acknowledged it, and under which
// identification it came.

import type { BankRecorder } from "@sluice/testkit";
import type { FedDebit } from "./release-feed.ts";

export interface Heard extends BankRecorder {
  /** Debits acknowledged. */
  count(): number;
  /** Attempts that were not the first of their debit. */
  repeats(): number;
  problems(fed: readonly FedDebit[]): readonly string[];
}

const problemsMax = 20;

export function createHeard(): Heard {
  /** Bank by UETR of the debits acknowledged. */
  const banks = new Map<string, string>();
  const strange: string[] = [];
  let repeats = 0;
  return {
    sent: () => {},
    received({ operation, uetr, bank, webhookId, status }) {
      if (operation !== "inboundDirectDebit" || webhookId !== `${uetr.replaceAll("-", "")}D`) {
        if (strange.length < problemsMax) strange.push(`${bank} was sent ${operation} ${webhookId}, which was not to be`);
        return;
      }
      if (banks.has(uetr)) repeats += 1;
      if (status === 202) banks.set(uetr, bank);
    },
    count: () => banks.size,
    repeats: () => repeats,
    problems(fed) {
      const unheard = fed.filter(({ uetr }) => !banks.has(uetr)).length;
      const elsewhere = fed.filter(({ uetr, bank }) => banks.has(uetr) && banks.get(uetr) !== bank).length;
      return [
        ...strange,
        ...(unheard > 0 ? [`${unheard} debits did not reach their bank`] : []),
        ...(elsewhere > 0 ? [`${elsewhere} debits reached another bank than theirs`] : []),
        ...(banks.size > fed.length ? [`${banks.size - fed.length} debits reached a bank though nobody sent them`] : []),
      ];
    },
  };
}
