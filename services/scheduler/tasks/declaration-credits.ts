// The credits that a declaration waits for in this partition, by bank; the domain decides which ones count
// (`awaited-credit.ts`). The set only shrinks: a credit received later has a higher offset, and nothing leaves a
// terminal state. Of each bank at most `uetrsKeptMax` are kept; the others are only counted, and when the kept ones
// have ended the store is read again.

import { type CreditAtGate, isCreditAwaited, toCreditAtGate, type Transaction, unknownBank, unreadCreditAtGate } from "@sluice/domain";
import type { OpenRow, UnreadRow } from "@sluice/store";
import type { OpenDeclaration } from "../partition/read-day-markers.ts";

/** The fields that decide whether a credit counts. */
export type DeclarationCreditRow = CreditAtGate & { readonly uetr: string };

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
      if (!isCreditAwaited(row, declaration, offset)) return;
      const known = banks.get(row.namedAs) ?? { uetrs: new Set(), beyond: 0 };
      banks.set(row.namedAs, known);
      if (known.uetrs.size < keptMax) known.uetrs.add(row.uetr);
      else known.beyond += 1;
    },
    observe(row) {
      const known = banks.get(row.namedAs);
      if (known === undefined || isCreditAwaited(row, declaration, offset) || !known.uetrs.delete(row.uetr)) return false;
      if (known.uetrs.size + known.beyond === 0) banks.delete(row.namedAs);
      return true;
    },
    countByBank: () =>
      new Map([...banks].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([bank, { uetrs, beyond }]) => [bank, uetrs.size + beyond])),
    needsReload: () => [...banks.values()].some(({ uetrs }) => uetrs.size === 0),
  };
}

/** Reads the fields of a credit; null for a debit, and where no credit was received. */
export function toDeclarationCreditRow(transaction: Transaction): DeclarationCreditRow | null {
  const credit = toCreditAtGate(transaction);
  return credit === null ? null : { ...credit, uetr: transaction.uetr };
}

/** The same of a row of the store. */
export function readDeclarationCreditRow(row: OpenRow | UnreadRow): DeclarationCreditRow | null {
  const { uetr, unreadCreditOffset: unread } = row;
  if (row.flow === null) return unread === null ? null : { ...unreadCreditAtGate(unread, true), uetr };
  const { state, scheme, bank, businessDate, receivedOffset } = row;
  if (row.flow !== "credit" || bank === null) return null;
  const namedAs = unread === null ? bank : unknownBank;
  return { uetr, state, scheme, bank, businessDate, receivedOffset: unread ?? receivedOffset, isUnread: false, namedAs };
}
