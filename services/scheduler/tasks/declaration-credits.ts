// The credits that a declaration waits for in this partition, by bank; the domain decides which ones count
// (`awaited-credit.ts`). The set only shrinks: a credit received later has a higher offset, and nothing leaves a
// terminal state. Of each bank at most `uetrsKeptMax` are kept; the others are only counted, and when the kept ones
// have ended the store is read again.

import { isCreditAwaited, type Transaction } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import type { OpenDeclaration } from "../partition/read-day-markers.ts";

/** The fields that decide whether a credit counts. */
export type DeclarationCreditRow = Pick<OpenRow, "uetr" | "state" | "scheme" | "bank" | "businessDate" | "receivedOffset">;

const uetrsKeptMax = 2_000;

export interface DeclarationCredits {
  /** Adds an open credit from the store. */
  add(row: DeclarationCreditRow): void;
  /** Removes a credit that no longer counts after a record changed it. Returns true if it was removed. */
  observe(row: DeclarationCreditRow): boolean;
  /** Number of counting credits, by bank. */
  countByBank(): ReadonlyMap<string, number>;
  /** Whether every kept credit of a bank has ended, and there were more. */
  needsReload(): boolean;
}

interface BankCredits {
  readonly uetrs: Set<string>;
  beyond: number;
}

export function createDeclarationCredits(
  { declaration, offset }: Pick<OpenDeclaration, "declaration" | "offset">,
  keptMax: number = uetrsKeptMax,
): DeclarationCredits {
  const banks = new Map<string, BankCredits>();
  return {
    add(row) {
      if (row.bank === null || !isCreditAwaited(row, declaration, offset)) return;
      const known = banks.get(row.bank) ?? { uetrs: new Set(), beyond: 0 };
      banks.set(row.bank, known);
      if (known.uetrs.size < keptMax) known.uetrs.add(row.uetr);
      else known.beyond += 1;
    },
    observe(row) {
      const known = row.bank === null ? undefined : banks.get(row.bank);
      if (row.bank === null || known === undefined || isCreditAwaited(row, declaration, offset) || !known.uetrs.delete(row.uetr))
        return false;
      if (known.uetrs.size + known.beyond === 0) banks.delete(row.bank);
      return true;
    },
    countByBank: () =>
      new Map([...banks].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([bank, { uetrs, beyond }]) => [bank, uetrs.size + beyond])),
    needsReload: () => [...banks.values()].some(({ uetrs }) => uetrs.size === 0),
  };
}

/** Reads the fields of a credit; null for a debit, and for a credit that was never received. */
export function toDeclarationCreditRow(transaction: Transaction): DeclarationCreditRow | null {
  if (transaction.flow !== "credit") return null;
  const { uetr, state, scheme, bank, businessDate, transitions } = transaction;
  const [first] = transitions;
  if (first === undefined) return null;
  return { uetr, state, scheme, bank, businessDate, receivedOffset: first.offset };
}
