// Records what the banks received in a release trial: for each debit, which bank acknowledged it. Bodies are not kept,
// because there are too many.

import type { PartyRecorder } from "@sluice/testkit";
import type { FedDebit } from "./feed.ts";

export interface ReleaseRecorder extends PartyRecorder {
  /** Returns the number of acknowledged debits. */
  count(): number;
  /** Returns the number of attempts that were not the first of their debit. */
  repeats(): number;
  problems(fed: readonly FedDebit[]): readonly string[];
}

const problemsMax = 20;

export function createReleaseRecorder(): ReleaseRecorder {
  /** Bank of each acknowledged debit, by UETR. */
  const banks = new Map<string, string>();
  const unexpected: string[] = [];
  let repeats = 0;
  return {
    sent: () => {},
    received({ operation, uetr, bank, webhookId, status }) {
      if (operation !== "inboundDirectDebit" || webhookId !== `${uetr.replaceAll("-", "")}D`) {
        if (unexpected.length < problemsMax) unexpected.push(`${bank} was sent ${operation} ${webhookId}, which nobody expected`);
        return;
      }
      if (banks.has(uetr)) repeats += 1;
      if (status === 202) banks.set(uetr, bank);
    },
    count: () => banks.size,
    repeats: () => repeats,
    problems(fed) {
      const undelivered = fed.filter(({ uetr }) => !banks.has(uetr)).length;
      const misdirected = fed.filter(({ uetr, bank }) => banks.has(uetr) && banks.get(uetr) !== bank).length;
      return [
        ...unexpected,
        ...(undelivered > 0 ? [`${undelivered} debits did not reach their bank`] : []),
        ...(misdirected > 0 ? [`${misdirected} debits reached another bank than theirs`] : []),
        ...(banks.size > fed.length ? [`${banks.size - fed.length} debits reached a bank though nobody sent them`] : []),
      ];
    },
  };
}
