// Up to which append time all that was received under a UETR is known: what makes "not known" a statement.
//
// #1 T is agreed time, taken before the log's end is asked for: whatever was appended to the lane by T lies below that end.
// #2 T is given only when the scheduler's position of the lane has reached that end within `waitMaxMs`; whoever asks looks up after
//    that, and so sees all that was applied.
// #3 Positions are asked for by one reader at a time, only while somebody waits, however many do.
// #4 What the brokers' clocks, and a replica behind its leader, differ by is within the minute that a bank waits anyway.

import { partitionOf, topics } from "@sluice/contracts";
import type { AgreedTime, Messaging } from "@sluice/messaging";
import { Fault, sleep, type Time } from "@sluice/runtime";
import type { LaneStore } from "@sluice/store";

export interface KnownAsOf {
  /** Epoch milliseconds; null: it cannot be told now. */
  of(uetr: string): Promise<number | null>;
}

export interface KnownAsOfPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends">;
  readonly lanes: Pick<LaneStore, "list">;
  readonly agreedTime: Pick<AgreedTime, "nowMs">;
  /** Partitions of the journal. */
  readonly laneCount: number;
}

const waitMaxMs = 1_000;
const positionsEveryMs = 40;

export function createKnownAsOf({ time, messaging, lanes, agreedTime, laneCount }: KnownAsOfPorts): KnownAsOf {
  let reading: Promise<ReadonlyMap<number, bigint>> | null = null;

  /** #3 */
  function positions(): Promise<ReadonlyMap<number, bigint>> {
    reading ??= lanes
      .list("scheduler")
      .then((documents) => new Map(documents.map(({ partition, position }) => [partition, position])))
      .finally(() => (reading = null));
    return reading;
  }

  async function isReached(lane: number, end: bigint, isLate: () => boolean): Promise<boolean> {
    for (;;) {
      const position = (await positions()).get(lane) ?? 0n;
      if (position >= end) return true;
      if (isLate()) return false;
      await sleep(time, positionsEveryMs);
    }
  }

  async function reached(uetr: string, isLate: () => boolean): Promise<number | null> {
    const partition = partitionOf(uetr, laneCount);
    const asOfMs = agreedTime.nowMs();
    if (asOfMs === null) return null;
    try {
      const [ends] = await messaging.ends([{ topic: topics.journal, partition }]);
      return ends !== undefined && (await isReached(partition, ends.logEnd, isLate)) ? asOfMs : null;
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  return {
    async of(uetr) {
      const untilMs = time.monotonicMs() + waitMaxMs;
      const { promise: tooLate, resolve } = Promise.withResolvers<null>();
      using _timer = time.after(waitMaxMs, () => resolve(null));
      return await Promise.race([reached(uetr, () => time.monotonicMs() >= untilMs), tooLate]);
    },
  };
}
