// All that happened to one UETR, as plain data: JSON can carry it as it is. Offsets are decimal text, times epoch milliseconds. No account
// number, no name: identifications, states, codes and amounts only.
//
// 1. Everything stands at the journal offset that it was, or that caused it; that is its order.

export interface Timeline {
  /** Lower case. */
  readonly uetr: string;
  /** Partition of every topic that its records lie in. */
  readonly lane: number;
  /** null: its records are not applied yet. */
  readonly state: string | null;
  /** on-us, off-us or credit; null: not known yet, or an orphan. */
  readonly flow: string | null;
  readonly scheme: string | null;
  /** Bank that the debit or credit is or will be sent to; null before the verdict. */
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** The day (scheme:date) whose reconciliation close is the deadline; empty for a credit. */
  readonly closesWith: string | null;
  /** Own deadline of a credit; null for a debit. */
  readonly deadlineMs: number | null;
  /** What the scheme connector was told last; null: nothing. */
  readonly outcome: TimelineOutcome | null;
  /** For example `ZAR 1250.50`. */
  readonly amount: string | null;
  readonly states: readonly TimelineState[];
  readonly messages: readonly TimelineMessage[];
  readonly facts: readonly TimelineFact[];
  readonly items: readonly TimelineItem[];
  readonly remarks: readonly TimelineRemark[];
  /** What operators asked for, and what came of it; the last ten. */
  readonly decisions: readonly TimelineDecision[];
  /** Pauses of its bank while it was under way, as far as its lane has them. */
  readonly pauses: readonly TimelinePause[];
  /** Records of it lie in the dead letters; null: none that count. */
  readonly parked: TimelineParked | null;
  /** Other UETRs under which the sender used the same identification: other transactions, and perhaps a mistake. At most 20. */
  readonly sharesIdentificationWith: readonly string[];
  /** False: a log was longer than what is searched, or did not start early enough; something may be missing. */
  readonly isComplete: boolean;
}

export interface TimelineState {
  readonly stageVersion: number;
  readonly state: string;
  readonly offset: string;
  readonly atMs: number;
  /** Offset of the day's marker that caused it; null where the record itself did. */
  readonly markerOffset: string | null;
  readonly businessDate: string;
  readonly messageIdentification: string;
  readonly httpStatusCode: number | null;
  /** Its event; null: not found in the events topic. */
  readonly event: TimelineEvent | null;
  /** The same of class ESM_STATE; null: its bank asks for none, or it was not found. */
  readonly esmEvent: TimelineEvent | null;
}

export interface TimelineOutcome {
  readonly number: number;
  /** Null: not acknowledged yet. */
  readonly acknowledgedAtMs: number | null;
}

export interface TimelineEvent {
  readonly id: string;
  /** In the events topic; the first, where a replay made it again. */
  readonly offset: string;
  /** Times that it was produced. */
  readonly copies: number;
  /** null: no posting of it has ended yet. */
  readonly posting: TimelineEnd | null;
  /** Its posting as it is parked; null: it is not. */
  readonly waiting: TimelineWaiting | null;
}

export interface TimelineMessage {
  readonly direction: "in" | "out";
  readonly operation: string;
  readonly messageIdentification: string;
  /** Bank or scheme connector: who sent it to Sluice, or whom Sluice sends it to. */
  readonly bank: string;
  /** Journal offset of the message, or of what caused it. */
  readonly offset: string;
  /** Append time of that record. */
  readonly atMs: number;
  /** Offset in the dispatch topic of one that Sluice sends; the first, where a replay made it again. */
  readonly dispatchOffset: string | null;
  readonly copies: number;
  /** Of one that Sluice sends; null: not ended yet. */
  readonly delivery: TimelineEnd | null;
  /** Of one that Sluice sends, as it is parked; null: it is not. */
  readonly waiting: TimelineWaiting | null;
  /** Journal offset of what stopped its delivery; null: nothing did. */
  readonly stoppedByOffset: string | null;
  /** Journal offsets of the redrives, in order. */
  readonly redrivenByOffsets: readonly string[];
}

/** How a delivery or a posting ended. */
export interface TimelineEnd {
  /** ACKNOWLEDGED, REFUSED, STOPPED or EXPIRED. */
  readonly outcome: string;
  readonly attempts: number;
  readonly firstAttemptAtMs: number;
  readonly endedAtMs: number;
  /** The last ones, at most ten. */
  readonly recentAttempts: readonly TimelineAttempt[];
  readonly earlier: TimelineEarlier | null;
}

/** A delivery or a posting that was not acknowledged at once and lies in the store. */
export interface TimelineWaiting {
  /** False: it was refused or its time is over, and a person has to have it tried again. */
  readonly isTried: boolean;
  /** By its own back-off; while its address bears nothing (breaker, gate) or its bank is paused it waits for that. Null: it is not tried. */
  readonly nextAttemptAtMs: number | null;
  /** So far. */
  readonly attempts: number;
  readonly recentAttempts: readonly TimelineAttempt[];
  readonly earlier: TimelineEarlier | null;
}

export interface TimelineAttempt {
  readonly atMs: number;
  readonly httpStatusCode: number | null;
  /** Masked: at most 1,024 characters. */
  readonly answer: string | null;
  readonly tookMs: number;
  /** Scheme, host, port and path; null: not known. */
  readonly address: string | null;
  /** acknowledged, transient, address (about it, not the message), refused or unknown. */
  readonly class: string;
}

/** Attempts before those that are kept one by one. */
export interface TimelineEarlier {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** How often each answer came; null: none, or another. */
  readonly answers: readonly { readonly httpStatusCode: number | null; readonly count: number }[];
}

/** Any other record of the journal under the UETR. */
export interface TimelineFact {
  readonly name: string;
  readonly offset: string;
  readonly atMs: number;
  /** Of the message that it is about; null: of none. */
  readonly messageIdentification: string | null;
  readonly detail: string;
}

export interface TimelineItem {
  readonly day: string;
  readonly row: number | null;
  readonly cause: string | null;
  readonly state: string;
  readonly madeAtMs: number;
  readonly settledAtMs: number | null;
  readonly lateAnswers: readonly string[];
  readonly resolution: TimelineResolution | null;
}

/** What people found; it counts when it is final. */
export interface TimelineResolution {
  readonly kind: string;
  /** UETR that took its place; null unless replaced. */
  readonly replacedBy: string | null;
  readonly operator: string;
  readonly reason: string;
  readonly atMs: number;
  readonly isFinal: boolean;
  /** The second person; null: none was needed, or none has confirmed it. */
  readonly confirmedBy: string | null;
}

export interface TimelineDecision {
  readonly name: string;
  readonly offset: string;
  readonly atMs: number;
  /** Id of the action. */
  readonly id: string;
  readonly operator: string;
  readonly reason: string;
  /** applied, ignored or refused. */
  readonly result: string;
  /** Why it was ignored or refused; null where it was applied. */
  readonly why: string | null;
}

export interface TimelinePause {
  /** BankPaused or BankResumed. */
  readonly name: string;
  readonly offset: string;
  readonly atMs: number;
  readonly bank: string;
  /** null: not known any more. */
  readonly operator: string | null;
  readonly reason: string;
  /** When a maintenance ends by itself; null: it does not, or it is a resume. */
  readonly untilMs: number | null;
}

export interface TimelineParked {
  readonly sinceMs: number;
  /** Journal offset of the first record put aside. */
  readonly offset: string;
  readonly records: number;
}

export interface TimelineRemark {
  readonly kind: string;
  readonly offset: string;
  readonly atMs: number;
  readonly messageIdentification: string;
  readonly sender: string;
}
