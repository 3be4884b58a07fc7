// Finds the records that an operator has decided to skip, because their schema cannot be obtained and their partition
// is blocked.
//
// #1 An operator's request is a dead letter marked `requested`. The partition's owner looks for it each time the record
//    blocks it, and then skips the record with a dead letter of its own, marked `done`.
// #2 A skip that is `done` is final: every later reading of the record (after a crash, from an older store, in a
//    rebuild) skips it too, even if the record is readable by then. A skip that was only `requested` has no such effect,
//    because the partition may have gone on without it.
// #3 Each look reads the dead letters from where the last look ended; the first one starts at their beginning. Only
//    operators' letters are decoded; a header marks them.

import { headers, type Serde, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { readOrLearn } from "../partitions/record-reader.ts";
import type { Messaging, ReceivedRecord } from "../port.ts";

/** The operator who asked for the skip, the id of that action, and the reason given. */
export interface SkipRequest {
  readonly operator: string;
  readonly actionId: string;
  readonly reason: string;
}

/** Why a record is dead-lettered instead of handled. */
export interface UnreadableReason {
  /** The reason: short and stable, never a value of the record. */
  readonly unreadable: string;
  /** The operator's request to skip the record, whether or not it can be read; absent if there is none. */
  readonly skip?: SkipRequest;
}

export interface OperatorSkips {
  /**
   * Finds the operator's request to skip this record, which blocks its partition; null if there is none. Rejects with
   * messaging Faults.
   */
  findRequest(record: Pick<ReceivedRecord, "topic" | "partition" | "offset">): Promise<SkipRequest | null>;
  /** Lists the records of a partition that were skipped by operators, by offset. Rejects with messaging Faults. */
  listDone(topic: string, partition: number): Promise<ReadonlyMap<bigint, SkipRequest>>;
}

export interface OperatorSkipsPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
  /** The service that owns the partitions, as dead letters name it. */
  readonly service: string;
}

/** Skips kept per partition; each is one person's action. The oldest are forgotten first. */
const skipsMax = 10_000;

interface Skip {
  readonly topic: string;
  readonly offset: bigint;
  readonly by: SkipRequest;
  readonly isDone: boolean;
}

interface PartitionSkips {
  nextOffset: bigint;
  readonly skips: Map<string, Skip>;
  /** The look in flight, which waits for all earlier ones. */
  looking: Promise<void>;
}

export function createOperatorSkips(ports: OperatorSkipsPorts): OperatorSkips {
  const partitions = new Map<number, PartitionSkips>();

  async function refresh(partition: number): Promise<PartitionSkips> {
    const known = partitions.get(partition) ?? { nextOffset: 0n, skips: new Map<string, Skip>(), looking: Promise.resolve() };
    partitions.set(partition, known);
    const look = known.looking.catch(() => undefined).then(() => readNewLetters(ports, partition, known));
    known.looking = look;
    await look;
    return known;
  }

  return {
    async findRequest({ topic, partition, offset }) {
      const { skips } = await refresh(partition);
      return skips.get(keyFor(topic, offset, true))?.by ?? skips.get(keyFor(topic, offset, false))?.by ?? null;
    },
    async listDone(topic, partition) {
      const { skips } = await refresh(partition);
      return new Map(
        [...skips.values()].filter((skip) => skip.isDone && skip.topic === topic).map(({ offset, by }) => [offset, by] as const),
      );
    },
  };
}

/**
 * Tells whether the record alone blocks its partition, because this reader does not know its schema or one of its
 * values.
 */
export function isStoppedByRecord(error: unknown): error is Fault {
  return error instanceof Fault && error.isRetryable && /^contracts\.|\.unknown-(change|operation)$/.test(error.code);
}

/** A record that is skipped without looking at its content. */
export function skipByOperator(skip: SkipRequest): UnreadableReason {
  return { unreadable: "skipped by an operator", skip };
}

/**
 * Finds the operator's request to skip the record at which this error stopped; rejects with the error if there is none.
 */
export async function skipStoppedRecord(
  skips: Pick<OperatorSkips, "findRequest">,
  record: Pick<ReceivedRecord, "topic" | "partition" | "offset">,
  error: unknown,
): Promise<UnreadableReason> {
  const skip = isStoppedByRecord(error) ? await skips.findRequest(record) : null;
  if (skip === null) throw error;
  return skipByOperator(skip);
}

async function readNewLetters({ messaging, serde, service }: OperatorSkipsPorts, partition: number, known: PartitionSkips): Promise<void> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || ends.logEnd <= known.nextOffset) return;
  const from = known.nextOffset > ends.logStart ? known.nextOffset : ends.logStart;
  if (from < ends.logEnd) {
    for await (const record of messaging.read(place, from, ends.logEnd)) {
      if (record.headers[headers.skip] !== undefined) keep(known, await readSkip(record, serde, service));
      known.nextOffset = record.offset + 1n;
    }
  }
  known.nextOffset = ends.logEnd;
}

function keep({ skips }: PartitionSkips, skip: Skip | null): void {
  if (skip === null) return;
  skips.set(keyFor(skip.topic, skip.offset, skip.isDone), skip);
  const [oldest] = skips.keys();
  if (skips.size > skipsMax && oldest !== undefined) skips.delete(oldest);
}

/** Returns null for another service's letter, or a record that is no dead letter. */
async function readSkip(record: ReceivedRecord, serde: OperatorSkipsPorts["serde"], service: string): Promise<Skip | null> {
  const decoded = await readOrLearn(record, serde);
  if (typeof decoded === "string" || decoded.name !== "DeadLetter" || decoded.value.service !== service) return null;
  const { topic, offset, operator, actionId, reason } = decoded.value;
  const by = { operator: operator ?? "", actionId: actionId ?? "", reason };
  return { topic, offset, by, isDone: record.headers[headers.skip] === "done" };
}

function keyFor(topic: string, offset: bigint, isDone: boolean): string {
  return `${topic}@${offset}${isDone ? "" : "?"}`;
}
