// The history of one UETR as plain data that is valid JSON: offsets are decimal text, times epoch milliseconds. It
// holds identifications, states, codes and amounts, but no account numbers and no names.
//
// #1 Every entry carries the journal offset of its record, or of the record that caused it. Entries are ordered by that
//    offset.

export interface Timeline {
  /** The UETR in lower case. */
  readonly uetr: string;
  /** The partition of every topic that holds its records. */
  readonly partition: number;
  /** The current state; null if its records are not applied yet. */
  readonly state: string | null;
  /** on-us, off-us or credit; null if not known yet, or for an orphan report. */
  readonly flow: string | null;
  readonly scheme: string | null;
  /** The bank to which the debit or credit is or will be sent; null before the verdict. */
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** The day (scheme:date) whose reconciliation close is the deadline; empty for a credit. */
  readonly reconciliationDay: string | null;
  /** The deadline of a credit; null for a debit. */
  readonly deadlineMs: number | null;
  /** The last outcome report to the connector; null if there is none. */
  readonly outcome: TimelineOutcome | null;
  /** Currency and amount, for example `ZAR 1250.50`. */
  readonly amount: string | null;
  readonly states: readonly TimelineState[];
  readonly messages: readonly TimelineMessage[];
  readonly facts: readonly TimelineFact[];
  readonly items: readonly TimelineItem[];
  readonly observations: readonly TimelineObservation[];
  /** The last ten requests of operators, with their results. */
  readonly decisions: readonly TimelineDecision[];
  /** Pauses of its bank between its first record and its end, as far as its partition has their markers. */
  readonly pauses: readonly TimelinePause[];
  /** Its dead-lettered records; null if the transaction is not quarantined. */
  readonly quarantined: TimelineQuarantine | null;
  /** At most 20 other UETRs for which the sender used the same identification; perhaps a mistake of the sender. */
  readonly sharesIdentificationWith: readonly string[];
  /** False if a partition is longer than the searched range or starts too late, so that entries may be missing. */
  readonly isComplete: boolean;
}

export interface TimelineState {
  readonly stageVersion: number;
  readonly state: string;
  readonly offset: string;
  readonly atMs: number;
  /** Offset of the day's marker that caused it; null if the record itself did. */
  readonly markerOffset: string | null;
  readonly businessDate: string;
  readonly messageIdentification: string;
  readonly httpStatusCode: number | null;
  /** Its event; null if the events topic does not have it. */
  readonly event: TimelineEvent | null;
  /** Its event of class ESM_STATE; null if the bank asks for none, or it was not found. */
  readonly esmEvent: TimelineEvent | null;
}

export interface TimelineOutcome {
  readonly number: number;
  /** Epoch milliseconds; null if not acknowledged yet. */
  readonly acknowledgedAtMs: number | null;
}

export interface TimelineEvent {
  readonly id: string;
  /** Its first offset in the events topic, since a replay may produce it again. */
  readonly offset: string;
  /** Number of times that it was produced. */
  readonly copies: number;
  /** The end of its posting; null while it has not ended. */
  readonly posting: TimelineEnd | null;
  /** Its parked posting; null if it is not parked. */
  readonly waiting: TimelineParkedMessage | null;
}

export interface TimelineMessage {
  readonly direction: "in" | "out";
  readonly operation: string;
  readonly messageIdentification: string;
  /** The bank or connector that sent it to Sluice, or to which Sluice sends it. */
  readonly bank: string;
  /** Journal offset of the message, or of the record that caused it. */
  readonly offset: string;
  /** Append time of that record, epoch milliseconds. */
  readonly atMs: number;
  /** First offset in the dispatch topic; null for a message to Sluice. A replay may produce it again. */
  readonly dispatchOffset: string | null;
  readonly copies: number;
  /** The end of its delivery; null while it has not ended, and for a message to Sluice. */
  readonly delivery: TimelineEnd | null;
  /** Its parked delivery; null if it is not parked, and for a message to Sluice. */
  readonly waiting: TimelineParkedMessage | null;
  /** Journal offset of the record that stopped its delivery; null if none did. */
  readonly stoppedByOffset: string | null;
  /** Journal offsets of its redrives, in order. */
  readonly redrivenByOffsets: readonly string[];
}

/** The end of a delivery or a posting. */
export interface TimelineEnd {
  /** ACKNOWLEDGED, REFUSED, STOPPED or EXPIRED. */
  readonly outcome: string;
  readonly attempts: number;
  readonly firstAttemptAtMs: number;
  readonly endedAtMs: number;
  /** The last attempts, at most ten. */
  readonly recentAttempts: readonly TimelineAttempt[];
  readonly earlier: TimelineEarlier | null;
  /** Null: no operator had it tried no more. */
  readonly stoppedBy: TimelineStop | null;
}

/** Who had a message tried no more. */
export interface TimelineStop {
  readonly operator: string;
  /** The second person; null: none was needed. */
  readonly confirmedBy: string | null;
}

/** A delivery or a posting that was not acknowledged at once and is parked in the store. */
export interface TimelineParkedMessage {
  /** False if it was refused, was stopped by an operator or has expired: only an operator's redrive tries it again. */
  readonly isTried: boolean;
  /** Null: it was not an operator who had it tried no more. */
  readonly stoppedBy: TimelineStop | null;
  /**
   * Due time by its own back-off; a breaker, a Retry-After or a pause of its bank may delay it. Null if it is not
   * tried.
   */
  readonly nextAttemptAtMs: number | null;
  /** Number of attempts so far. */
  readonly attempts: number;
  readonly recentAttempts: readonly TimelineAttempt[];
  readonly earlier: TimelineEarlier | null;
}

export interface TimelineAttempt {
  readonly atMs: number;
  readonly httpStatusCode: number | null;
  /** The masked answer, at most 1,024 characters. */
  readonly answer: string | null;
  readonly tookMs: number;
  /** Scheme, host, port and path; null if not known. */
  readonly address: string | null;
  /** acknowledged, transient, address (a failure of the endpoint, not of the message), refused or unknown. */
  readonly class: string;
}

/** A summary of the attempts before those that are kept one by one. */
export interface TimelineEarlier {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** Number of attempts by answer; a null code counts missing and other answers. */
  readonly answers: readonly { readonly httpStatusCode: number | null; readonly count: number }[];
}

/** Any other journal record of the UETR. */
export interface TimelineFact {
  readonly name: string;
  readonly offset: string;
  readonly atMs: number;
  /** Identification of the message that the record is about; null if there is none. */
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

/** A resolution by a person; it counts once it is final. */
export interface TimelineResolution {
  readonly kind: string;
  /** UETR of the transaction that replaced it; null unless replaced. */
  readonly replacedBy: string | null;
  readonly operator: string;
  readonly reason: string;
  readonly atMs: number;
  readonly isFinal: boolean;
  /** The second person; null if none was needed, or none has confirmed it yet. */
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
  /** The reason why it was ignored or refused; null if it was applied. */
  readonly why: string | null;
}

export interface TimelinePause {
  /** BankPaused or BankResumed. */
  readonly name: string;
  readonly offset: string;
  readonly atMs: number;
  readonly bank: string;
  /** The operator who paused or resumed it; null if no longer known. */
  readonly operator: string | null;
  readonly reason: string;
  /** Time at which a maintenance ends by itself; null if it does not, and for a resume. */
  readonly untilMs: number | null;
}

export interface TimelineQuarantine {
  readonly sinceMs: number;
  /** Journal offset of the first dead-lettered record. */
  readonly offset: string;
  readonly records: number;
}

export interface TimelineObservation {
  readonly kind: string;
  readonly offset: string;
  readonly atMs: number;
  readonly messageIdentification: string;
  readonly sender: string;
}
