// People's queries over all transactions: one by one, or counted and summed.

import type { Flow, ObservationKind, Item, ReconciliationReason, OrphanState, Quarantine, State } from "@sluice/domain";

/** Terms that people search by and the domain does not need. Accounts are kept as their last four characters only. */
export interface SearchTerms {
  readonly endToEndIdentification: string | null;
  readonly transactionIdentification: string | null;
  readonly instructionIdentification: string | null;
  readonly debtorAccountEnd: string | null;
  readonly creditorAccountEnd: string | null;
  /** Codes of the reasons why it was refused or rejected, from the verdict and from the bank's report. */
  readonly reasons: readonly string[];
}

export const noSearchTerms: SearchTerms = {
  endToEndIdentification: null,
  transactionIdentification: null,
  instructionIdentification: null,
  debtorAccountEnd: null,
  creditorAccountEnd: null,
  reasons: [],
};

/** All given terms must hold. Terms about items must hold for one and the same item. */
export interface TransactionQuery {
  /**
   * Any identification of its message (message, end-to-end, transaction, instruction), or the final report's message
   * identification.
   */
  readonly identification?: string | undefined;
  /** How one of them, or the UETR, begins: printable ASCII. */
  readonly identificationStart?: string | undefined;
  readonly uetr?: string | undefined;
  readonly sender?: string | undefined;
  readonly bank?: string | undefined;
  readonly partition?: number | undefined;
  readonly flow?: Flow | undefined;
  readonly state?: State | OrphanState | undefined;
  readonly scheme?: string | undefined;
  /** One of these. */
  readonly schemes?: readonly string[] | undefined;
  readonly businessDate?: string | undefined;
  /** Business dates, both included. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly reconciliationDay?: string | undefined;
  /** What the end of the debtor's or the creditor's account may be stored as: itself, or a hash where it is sealed. */
  readonly accountEnds?: readonly string[] | undefined;
  readonly amountTenThousandths?: bigint | undefined;
  /** Amounts, both included. */
  readonly amountFromTenThousandths?: bigint | undefined;
  readonly amountToTenThousandths?: bigint | undefined;
  readonly currency?: string | undefined;
  /** When its message was received, epoch milliseconds, both included. */
  readonly receivedFromMs?: number | undefined;
  readonly receivedToMs?: number | undefined;
  /** Code of a reason why it was refused or rejected. */
  readonly reason?: string | undefined;
  readonly itemDay?: string | undefined;
  /** Null: not known yet. */
  readonly itemRow?: number | null | undefined;
  readonly itemCause?: ReconciliationReason | undefined;
  /** Open means not settled and not finally resolved. */
  readonly isItemOpen?: boolean | undefined;
  /** True: somebody proposed a resolution that a second person has not confirmed yet. */
  readonly isItemProposed?: true | undefined;
  /** Made at this time or earlier, epoch milliseconds. */
  readonly itemMadeToMs?: number | undefined;
  readonly isQuarantined?: boolean | undefined;
  /** One of the last messages that were recorded without effect is of this kind. */
  readonly observation?: ObservationKind | undefined;
  /** Something that an operator decided about it, as it is kept. Its terms must hold for one and the same decision. */
  readonly decided?: DecidedTerms | undefined;
}

/** The last row of a page of the newest. */
export type NewestCursor = Pick<SummaryRowBase, "receivedAtMs" | "uetr">;

/** The first page of the newest: about when they were received. It leaves nothing out, whatever the time is. */
export interface NewestStart {
  readonly aboutMs: number;
}

/** Of one decision; times are epoch milliseconds, both included. */
export interface DecidedTerms {
  readonly operator?: string | undefined;
  readonly kind?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A transaction without its messages and its history. */
interface SummaryRowBase {
  readonly uetr: string;
  readonly partition: number;
  readonly sender: string | null;
  readonly messageIdentification: string | null;
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** Null for a credit and for an orphan. */
  readonly reconciliationDay: string | null;
  readonly deadlineMs: number | null;
  readonly receivedAtMs: number;
  /** The version of its last state entry; 0: it has none. */
  readonly stageVersion: number;
  /** Append time of the record that caused the entry; for an orphan, of its first report. */
  readonly updatedAtMs: number;
  /** Offset of the last record applied. */
  readonly applied: bigint;
  readonly carryOversMax: number;
  readonly carryOversLeft: number;
  readonly items: readonly Item[];
  readonly quarantined: Quarantine | null;
  readonly search: SearchTerms;
}

/** A transaction whose message was received. */
export interface ReceivedSummaryRow extends SummaryRowBase {
  readonly flow: Flow;
  readonly state: State;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  readonly queueKey: string;
}

interface OrphanSummaryRow extends SummaryRowBase {
  readonly flow: null;
  readonly state: OrphanState;
  readonly scheme: null;
  readonly amountTenThousandths: null;
  readonly currency: null;
  readonly queueKey: null;
}

export type SummaryRow = ReceivedSummaryRow | OrphanSummaryRow;

export interface TotalsRow {
  readonly bank: string | null;
  /** Null for orphans, as is `currency`. */
  readonly scheme: string | null;
  readonly businessDate: string | null;
  readonly currency: string | null;
  readonly flow: Flow | null;
  readonly state: State | OrphanState;
  readonly count: number;
  readonly sumTenThousandths: bigint;
  readonly oldestReceivedAtMs: number;
}
