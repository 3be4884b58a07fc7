// The credits that a declaration waits for in this lane, by bank: the rule is the domain's (`awaited-credit.ts`). Their set only shrinks: what
// is received later has a higher offset, and nothing leaves a terminal state. Of each bank at most `uetrsKeptMax` are kept; the others are only counted, and when the kept ones have ended the store is read again.

import { isCreditAwaited } from "@sluice/domain";
import type { Transaction } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import type { OpenDeclaration } from "./passed-day.ts";

/** What decides whether a credit counts. */
export type CreditRow = Pick<OpenRow, "uetr" | "state" | "scheme" | "bank" | "businessDate" | "receivedOffset">;

export const uetrsKeptMax = 2_000;

export interface WaitingCredits {
  /** An open credit, as the store had it. */
  add(row: CreditRow): void;
  /** A credit as a record left it: one that does not count any more is taken out. True: one was. */
  saw(row: CreditRow): boolean;
  /** Banks with a credit that counts, with their number. */
  banks(): ReadonlyMap<string, number>;
  /** All that were kept of a bank have ended, and there were more. */
  isToBeRead(): boolean;
}

interface OfBank {
  readonly uetrs: Set<string>;
  beyond: number;
}

export function createWaitingCredits(
  { declaration, offset }: Pick<OpenDeclaration, "declaration" | "offset">,
  keptMax: number = uetrsKeptMax,
): WaitingCredits {
  const banks = new Map<string, OfBank>();
  return {
    add(row) {
      if (row.bank === null || !isCreditAwaited(row, declaration, offset)) return;
      const known = banks.get(row.bank) ?? { uetrs: new Set(), beyond: 0 };
      banks.set(row.bank, known);
      if (known.uetrs.size < keptMax) known.uetrs.add(row.uetr);
      else known.beyond += 1;
    },
    saw(row) {
      const known = row.bank === null ? undefined : banks.get(row.bank);
      if (row.bank === null || known === undefined || isCreditAwaited(row, declaration, offset) || !known.uetrs.delete(row.uetr))
        return false;
      if (known.uetrs.size + known.beyond === 0) banks.delete(row.bank);
      return true;
    },
    banks: () =>
      new Map([...banks].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([bank, { uetrs, beyond }]) => [bank, uetrs.size + beyond])),
    isToBeRead: () => [...banks.values()].some(({ uetrs }) => uetrs.size === 0),
  };
}

/** Null: no credit, or one that was never received. */
export function creditRowOf(transaction: Transaction): CreditRow | null {
  const { uetr, state, flow, scheme, bank, businessDate, transitions } = transaction;
  const [first] = transitions;
  if (flow !== "credit" || state === "ORPHAN" || first === undefined) return null;
  return { uetr, state, scheme, bank, businessDate, receivedOffset: first.offset };
}
