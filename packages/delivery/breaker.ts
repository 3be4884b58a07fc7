// When nothing but probes is sent to an address of a receiver. Pure.
//
// #1 The breaker opens after 10 transient answers in a row over at least 2 UETRs; after 10 about the address in a row over at least 2;
//    or after 10 that are not recoverable. One UETR that fails again and again does not open it.
// #2 An acknowledgement ends every row. A refusal ends the rows of what is tried again, and these end its row; the two of them count side by
//    side, so that an address which alternates between them is found out too.
// #3 A code that means "seen before", on an attempt that may be the first, counts for nothing.
// #4 While it is open one message is tried every 10 s; every 60 s where it opened over the address, because nothing there mends by itself.

import type { AnswerClass } from "./retry-law.ts";

export type BreakerReason = Exclude<AnswerClass, "acknowledged">;

export const failuresToOpen = 10;
export const probeSpacingMs: Readonly<Record<BreakerReason, number>> = { transient: 10_000, refused: 10_000, address: 60_000 };

export interface Counted {
  readonly class: AnswerClass;
  readonly uetr: string;
  readonly isDuplicateCode: boolean;
}

interface Row {
  readonly count: number;
  /** Of the first; null: the row is empty. */
  readonly uetr: string | null;
  readonly isOfSeveral: boolean;
}

export type Rows = Readonly<Record<BreakerReason, Row>>;

const noRow: Row = { count: 0, uetr: null, isOfSeveral: false };
export const noRows: Rows = { transient: noRow, address: noRow, refused: noRow };

/** #2, #3 */
export function counted(rows: Rows, answer: Counted): Rows {
  if (answer.class === "acknowledged") return noRows;
  if (answer.class === "refused") {
    return answer.isDuplicateCode ? rows : { ...noRows, refused: longer(rows.refused, answer.uetr) };
  }
  return { ...rows, refused: noRow, [answer.class]: longer(rows[answer.class], answer.uetr) };
}

function longer({ count, uetr, isOfSeveral }: Row, next: string): Row {
  return { count: Math.min(count + 1, failuresToOpen), uetr: uetr ?? next, isOfSeveral: isOfSeveral || (uetr !== null && uetr !== next) };
}

/** #1: why it opens now; null: it does not. */
export function opensFor(rows: Rows): BreakerReason | null {
  if (rows.refused.count >= failuresToOpen) return "refused";
  const reasons = ["transient", "address"] as const;
  return reasons.find((reason) => rows[reason].count >= failuresToOpen && rows[reason].isOfSeveral) ?? null;
}
