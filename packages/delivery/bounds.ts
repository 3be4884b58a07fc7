// Every bound of the engine (I15), each with its unit. Tests make them small.

export interface DeliveryBounds {
  /** Parked messages in memory, per lane, over all banks. */
  readonly pageMessagesMax: number;
  /** Records of a lane taken in and not finished. */
  readonly bufferedRecordsMax: number;
  /** Those of them in hand at once: tried, waiting for their bank, being parked. A bank that is slow may have an eighth. */
  readonly runningPerLaneMax: number;
  /** A new message waits no longer for its bank, unless that keeps up (bank-slots.ts #3). */
  readonly slotWaitMaxMs: number;
  /** A new message whose bank has not answered after that is parked, and its attempt goes on: its lane does not wait for it. */
  readonly answerWaitMaxMs: number;
  /** Half the session time-out: beyond it nobody knows whose lane it is. */
  readonly heartbeatAgeMaxMs: number;
  /** Parked messages read at once. */
  readonly scanMessagesMax: number;
  /** Parked messages read before the first record is handed out; what lies beyond makes every bank spill until it is read too. */
  readonly takeOverMessagesMax: number;
  /** What is parked waits no longer, after a take-over, for the records that lay in the partition then. */
  readonly catchUpWaitMaxMs: number;
  /** Between two scans of a lane. */
  readonly scanSpacingMs: number;
  /** Messages parked while a scan is under way that are remembered until its end, per lane and bank. */
  readonly scanLateMax: number;
  /** Ended deliveries whose attempts a late stop can still name, per lane. */
  readonly recentEndsMax: number;
  /** Parked messages written, read or removed by one call. */
  readonly bulkMessagesMax: number;
}

export const deliveryBounds: DeliveryBounds = {
  pageMessagesMax: 10_000,
  bufferedRecordsMax: 500,
  runningPerLaneMax: 64,
  slotWaitMaxMs: 250,
  answerWaitMaxMs: 1_000,
  heartbeatAgeMaxMs: 3_000,
  scanMessagesMax: 1_000,
  takeOverMessagesMax: 50_000,
  catchUpWaitMaxMs: 10_000,
  scanSpacingMs: 1_000,
  scanLateMax: 1_000,
  recentEndsMax: 1_000,
  bulkMessagesMax: 200,
};

export function bankShareMax(bounds: DeliveryBounds): number {
  return Math.max(1, Math.floor(Math.min(bounds.bufferedRecordsMax, bounds.runningPerLaneMax) / 8));
}

export function bankPageMax(bounds: DeliveryBounds, banks: number): number {
  return Math.max(4, Math.floor(bounds.pageMessagesMax / Math.max(1, banks)));
}
