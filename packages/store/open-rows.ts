// The rows that a partition's owner reads of its open transactions, at take-overs and closes.

import type { DayKey, Flow, State } from "@sluice/domain";

/**
 * What a partition's owner keeps of an open transaction: one that is unresolved, or whose connector has not
 * acknowledged the outcome report.
 */
export interface OpenRow {
  readonly uetr: string;
  readonly state: State;
  readonly flow: Flow;
  readonly scheme: string;
  /** The credit's own deadline, epoch ms. */
  readonly deadlineMs: number | null;
  /** The outcome was reported and is not acknowledged. */
  readonly isOutcomeAwaited: boolean;
  /** Offset of the record that created it, which tells whether it was received before a declaration. */
  readonly receivedOffset: bigint;
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** Null for a credit. */
  readonly reconciliationDay: DayKey | null;
  /** Offset of the dead-lettered record of a credit that was read later; null otherwise. */
  readonly unreadCreditOffset: bigint | null;
  /** Release order: receivedAt as 15 digits, then ':' and the UETR. */
  readonly queueKey: string;
  /** How many times it may still be carried over to the next business date. */
  readonly carryOversLeft: number;
}

/**
 * An orphan with an unread message in its dead letters that has no item yet: its partition's owner wakes it at the
 * close of `reconciliationDay`.
 */
export interface UnreadRow {
  readonly uetr: string;
  readonly state: "ORPHAN";
  readonly flow: null;
  /** Null: the partition knew no day when the record was dead-lettered. */
  readonly reconciliationDay: DayKey | null;
  readonly unreadCreditOffset: bigint | null;
}
