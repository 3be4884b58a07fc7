// What people ask of all transactions: one by one, or counted and summed.

import type { Flow, Item, ItemCause, OrphanState, Parked, State } from "@sluice/domain";
import type { SearchTerms } from "./port.ts";

/** All that is given must hold. What is asked of items must hold for one and the same item. */
export interface TransactionQuery {
  /** Any identification of its message: message, end-to-end, transaction, instruction; or the final report's message identification. */
  readonly identification?: string | undefined;
  readonly uetr?: string | undefined;
  readonly sender?: string | undefined;
  readonly bank?: string | undefined;
  readonly lane?: number | undefined;
  readonly flow?: Flow | undefined;
  readonly state?: State | OrphanState | undefined;
  readonly scheme?: string | undefined;
  readonly businessDate?: string | undefined;
  /** Business dates, both included. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly closesWith?: string | undefined;
  /** Last four characters of the debtor's or the creditor's account. */
  readonly accountEnd?: string | undefined;
  readonly amountTenThousandths?: bigint | undefined;
  readonly currency?: string | undefined;
  /** Code of a reason why it was refused or not made. */
  readonly reason?: string | undefined;
  readonly itemDay?: string | undefined;
  /** null: not known yet. */
  readonly itemRow?: number | null | undefined;
  readonly itemCause?: ItemCause | undefined;
  /** Open: not settled, and not finally resolved. */
  readonly isItemOpen?: boolean | undefined;
  readonly isParked?: boolean | undefined;
}

/** A transaction without its messages and its history. */
export interface SummaryRow {
  readonly uetr: string;
  readonly lane: number;
  /** Null for an orphan. */
  readonly flow: Flow | null;
  readonly state: State | OrphanState;
  readonly scheme: string;
  readonly sender: string | null;
  readonly messageIdentification: string | null;
  readonly bank: string | null;
  readonly businessDate: string | null;
  readonly closesWith: string;
  readonly deadlineMs: number | null;
  readonly receivedAtMs: number;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  readonly queueKey: string;
  /** Of its last state entry; 0: none. */
  readonly stageVersion: number;
  /** Append time of what made that entry; of an orphan, of its first report. */
  readonly updatedAtMs: number;
  /** Offset of the last record folded in. */
  readonly applied: bigint;
  readonly rollsMax: number;
  readonly rollsLeft: number;
  readonly items: readonly Item[];
  readonly parked: Parked | null;
  readonly search: SearchTerms;
}

export interface TotalsRow {
  readonly bank: string | null;
  readonly scheme: string;
  readonly businessDate: string | null;
  readonly currency: string;
  readonly flow: Flow | null;
  readonly state: State | OrphanState;
  readonly count: number;
  readonly sumTenThousandths: bigint;
  readonly oldestReceivedAtMs: number;
}
