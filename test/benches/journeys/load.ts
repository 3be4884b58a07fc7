// The load that a journeys bench gives to its bank process, and the result that it returns.

export interface JourneyLoad {
  readonly ingressUrl: string;
  readonly token: string;
  readonly branch: string;
  readonly ratePerSecond: number;
  readonly seconds: number;
  /** The share of debits with a UETR that services which trace a half would trace; null: as it is drawn. */
  readonly tracedShare: number | null;
}

/** Milliseconds from the planned instant of the post, which is fixed beforehand, without the time of the bank. */
interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export interface JourneysResult {
  readonly started: number;
  /** Debits that ingress answered with 202. */
  readonly accepted: number;
  /** Debits whose report ACCP arrived. */
  readonly reported: number;
  /** Debits whose event COMPLETED arrived. */
  readonly completed: number;
  readonly isSustained: boolean;
  /** Posts with another answer than 202 or with none; each was sent again. */
  readonly notTaken: number;
  /** Milliseconds from the planned instant of the last post to the last message received. */
  readonly lastAfterMs: number;
  readonly completedPerSecond: number;
  readonly untilReportMs: Latency;
  readonly untilCompletedMs: Latency;
}
