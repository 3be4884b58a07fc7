// Finds the append time up to which everything that was received under a UETR is known. Only this time makes "not
// known" a statement.
//
// #1 T is read from the broker clock before the partition's end is read: every record that was appended by T lies below
//    that end.
// #2 T is returned only after the scheduler's position in the partition has reached that end, within `waitMaxMs`. The
//    caller looks up afterwards, and so sees everything that was applied.
// #3 Positions are read by one reader at a time, and only while a caller waits, however many callers there are.
// #4 Differences between brokers' clocks, and a replica behind its leader, are covered by the minute that a bank adds.

import { partitionFor, topics } from "@sluice/contracts";
import type { BrokerClock, Messaging } from "@sluice/messaging";
import { Fault, sleep, type Time } from "@sluice/kernel";
import type { PartitionStore } from "@sluice/store";

export interface KnownAsOf {
  /** Epoch milliseconds; null: the time is not known now. */
  timeFor(uetr: string): Promise<number | null>;
}

export interface KnownAsOfPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends">;
  readonly partitions: Pick<PartitionStore, "list">;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
  /** Number of partitions of the journal. */
  readonly partitionCount: number;
}

const waitMaxMs = 1_000;
const positionsEveryMs = 40;

export function createKnownAsOf({ time, messaging, partitions, brokerClock, partitionCount }: KnownAsOfPorts): KnownAsOf {
  let reading: Promise<ReadonlyMap<number, bigint>> | null = null;

  /** #3 */
  function positions(): Promise<ReadonlyMap<number, bigint>> {
    reading ??= partitions
      .list("scheduler")
      .then((documents) => new Map(documents.map(({ partition, position }) => [partition, position])))
      .finally(() => (reading = null));
    return reading;
  }

  async function isReached(partition: number, end: bigint, isLate: () => boolean): Promise<boolean> {
    for (;;) {
      const position = (await positions()).get(partition) ?? 0n;
      if (position >= end) return true;
      if (isLate()) return false;
      await sleep(time, positionsEveryMs);
    }
  }

  async function findTime(uetr: string, isLate: () => boolean): Promise<number | null> {
    const partition = partitionFor(uetr, partitionCount);
    const asOfMs = brokerClock.nowMs();
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
    async timeFor(uetr) {
      const untilMs = time.monotonicMs() + waitMaxMs;
      const { promise: tooLate, resolve } = Promise.withResolvers<null>();
      using _timer = time.after(waitMaxMs, () => resolve(null));
      return await Promise.race([findTime(uetr, () => time.monotonicMs() >= untilMs), tooLate]);
    },
  };
}
