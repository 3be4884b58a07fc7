// What a running Sluice answers about a transaction and its clock: the members that a test of a bank uses. There are
// more, and Sluice may add some.

export interface TransactionTimeline {
  readonly uetr: string;
  /** The current state; null if its records are not applied yet. */
  readonly state: string | null;
  readonly flow: string | null;
  readonly bank: string | null;
  readonly businessDate: string | null;
  readonly amount: string | null;
  readonly states: readonly EnteredState[];
  /** Messages in both directions. */
  readonly messages: readonly ExchangedMessage[];
}

export interface EnteredState {
  readonly stageVersion: number;
  readonly state: string;
  readonly atMs: number;
}

export interface ExchangedMessage {
  readonly direction: "in" | "out";
  readonly operation: string;
  readonly messageIdentification: string;
  /** The bank or connector on the other side. */
  readonly bank: string;
  readonly atMs: number;
  /** The end of its delivery; null while it has not ended, and for a message to Sluice. */
  readonly delivery: { readonly outcome: string; readonly attempts: number } | null;
}

/** A message from Sluice to a bank or connector. */
export interface SentMessage {
  readonly to: string;
  readonly operation: string;
  readonly messageIdentification: string;
  /** ACKNOWLEDGED, REFUSED, STOPPED or EXPIRED; null while it is tried. */
  readonly outcome: string | null;
}

export interface ClockView {
  readonly now: string;
  readonly windows: readonly {
    readonly day: string;
    readonly number: number;
    readonly opens: string;
    readonly closes: string;
    readonly isOpen: boolean;
  }[];
}
