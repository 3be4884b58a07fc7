// What the bank of a bench of journeys is asked for, and what it answers.

export interface JourneyLoad {
  readonly ingressUrl: string;
  readonly token: string;
  readonly branch: string;
  readonly ratePerSecond: number;
  readonly seconds: number;
}

/** From the time at which a debit was to be posted, which is fixed beforehand. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export interface JourneysHeard {
  readonly started: number;
  /** Debits answered 202. */
  readonly accepted: number;
  /** Whose report ACCP arrived. */
  readonly reported: number;
  /** Whose event COMPLETED arrived. */
  readonly completed: number;
  /** Answers other than 202, and none: each was sent again. */
  readonly notTaken: number;
  /** From when the last debit was to be posted until the last thing was heard. */
  readonly lastAfterMs: number;
  readonly completedPerSecond: number;
  readonly untilReportMs: Latency;
  readonly untilCompletedMs: Latency;
}
