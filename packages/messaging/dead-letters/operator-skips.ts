// Finds the records that an operator has decided to skip, because their schema cannot be obtained and their partition
// is blocked.
//
// #1 An operator's request is a dead letter marked `requested`. The partition's owner looks for it each time the record
//    blocks it, and then skips the record with a dead letter of its own, marked `done`.
// #2 A skip that is `done` is final: every later reading of the record (after a crash, from an older store, in a
//    rebuild) skips it too, even if the record is readable by then. A skip that was only `requested` has no such
//    effect, because the partition may have gone on without it.
// #3 Each look reads the dead letters from where the last look ended. The first one starts where the note ends that an
//    earlier owner left (`skips-memory.ts`), or at their beginning. Only operators' letters are decoded; a header marks
//    them.
// #4 A batch that cannot be read is skipped in the same way. The letters that ask for it and report it name its first
//    and last offset in a header, and a skip that is `done` covers all offsets of the batch.
// #5 A request that does not count (`isValid`), such as one that no console has signed, is none.

import { headers, type Records, type Serde, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { readIncomplete } from "../faults.ts";
import { requireCovered } from "../require-covered.ts";
import { readOrLearn } from "../partitions/record-reader.ts";
import { noteSkips, readSkipsMemory, type Skip, type SkipsMemory } from "./skips-memory.ts";
import { buildSkippedRecords, parseBatchRange, UnreadableBatchFault } from "../unreadable-batch.ts";
import type { LogIdentity, Messaging, ReceivedRecord, SkipRequest, TopicPartition, UnreadableBatch } from "../port.ts";

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
  /** Finds the operator's request to skip this batch (#4); null if there is none. Rejects with messaging Faults. */
  findBatchRequest(batch: Pick<UnreadableBatch, "topic" | "partition" | "firstOffset" | "lastOffset">): Promise<SkipRequest | null>;
  /**
   * Finds what operators skipped in a partition; `noted` is what an earlier owner noted of its letters. Rejects with
   * messaging Faults.
   */
  listDone(topic: string, partition: number, noted?: SkipsMemory | null): Promise<DoneSkips>;
  /** What is known of the letters of a partition, for its next owner; null: nothing that it must know. */
  note(partition: number): SkipsMemory | null;
}

/** The skips of one partition that are final (#2). */
export interface DoneSkips {
  /** The skip of the record at this offset, or of the batch around it; null if it was not skipped. */
  find(offset: bigint): SkipRequest | null;
}

export interface OperatorSkipsPorts {
  readonly messaging: Pick<Messaging, "ends" | "identity" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
  /** The service that owns the partitions, as dead letters name it. */
  readonly service: string;
  /** Tells whether an operator's request counts; left out: each does. */
  readonly isValid?: (letter: ReceivedRecord) => boolean;
}

/** Skips kept per partition; each is one person's action. The oldest are forgotten first. */
const skipsMax = 10_000;

interface PartitionSkips {
  nextOffset: bigint;
  readonly skips: Map<string, Skip>;
  /** The topic of the letters; null before it was asked for. */
  log: LogIdentity | null;
  /** The look in flight, which waits for all earlier ones. */
  looking: Promise<void>;
}

export function createOperatorSkips(ports: OperatorSkipsPorts): OperatorSkips {
  const partitions = new Map<number, PartitionSkips>();

  async function lookAfter(before: Promise<void>, partition: number, known: PartitionSkips, noted: SkipsMemory | null): Promise<void> {
    await before.catch(() => undefined);
    if (known.log === null) await recall(ports, known, noted);
    await readNewLetters(ports, partition, known);
  }

  async function refresh(partition: number, noted: SkipsMemory | null = null): Promise<PartitionSkips> {
    const known = partitions.get(partition) ?? { nextOffset: 0n, skips: new Map<string, Skip>(), log: null, looking: Promise.resolve() };
    partitions.set(partition, known);
    const look = lookAfter(known.looking, partition, known, noted);
    known.looking = look;
    await look;
    return known;
  }

  return {
    async findRequest({ topic, partition, offset }) {
      const { skips } = await refresh(partition);
      return findRequested(skips, topic, { firstOffset: offset, lastOffset: offset });
    },
    async findBatchRequest({ topic, partition, ...range }) {
      const { skips } = await refresh(partition);
      return findRequested(skips, topic, range);
    },
    async listDone(topic, partition, noted) {
      const { skips } = await refresh(partition, noted);
      return createDoneSkips([...skips.values()].filter((skip) => skip.isDone && skip.topic === topic));
    },
    note(partition) {
      const known = partitions.get(partition);
      return known === undefined || known.log === null ? null : noteSkips(known.log, known.nextOffset, known.skips.values());
    },
  };
}

/** Asks once which topic has the letters, and starts with what is noted about it. */
async function recall({ messaging }: OperatorSkipsPorts, known: PartitionSkips, noted: SkipsMemory | null): Promise<void> {
  const log = await messaging.identity(topics.deadLetters);
  const read = readSkipsMemory(noted, log);
  for (const skip of read?.skips ?? []) keep(known, skip);
  known.nextOffset = read?.nextOffset ?? 0n;
  known.log = log;
}

function findRequested(skips: PartitionSkips["skips"], topic: string, range: SkippedRange): SkipRequest | null {
  return skips.get(keyFor(topic, range, true))?.by ?? skips.get(keyFor(topic, range, false))?.by ?? null;
}

function createDoneSkips(done: readonly Skip[]): DoneSkips {
  const byOffset = new Map(done.map((skip) => [skip.firstOffset, skip.by]));
  const batches = done.filter(({ firstOffset, lastOffset }) => firstOffset < lastOffset);
  return {
    find: (offset) =>
      byOffset.get(offset) ?? batches.find(({ firstOffset, lastOffset }) => offset >= firstOffset && offset <= lastOffset)?.by ?? null,
  };
}

/**
 * Reads records as `read` of the port does. At a batch that an operator has skipped it goes on behind it, with the
 * placeholders that its readers got; at any other batch that cannot be read it rejects as `read` does. It covers the
 * whole range, or rejects with a retryable Fault.
 */
export async function* readAroundSkips(
  messaging: Pick<Messaging, "read">,
  done: DoneSkips,
  partition: TopicPartition,
  { from, to, nowMs }: { readonly from: bigint; readonly to: bigint; readonly nowMs: number },
): AsyncGenerator<ReceivedRecord> {
  let next = from;
  while (next < to) {
    try {
      for await (const record of messaging.read(partition, next, to)) {
        next = record.offset + 1n;
        yield record;
      }
      if (next < to) throw readIncomplete(partition, next, to);
    } catch (error) {
      const skip = error instanceof UnreadableBatchFault ? done.find(error.batch.lastOffset) : null;
      if (!(error instanceof UnreadableBatchFault) || skip === null) throw error;
      for (const record of buildSkippedRecords(error.batch, skip, nowMs)) if (record.offset < to) yield record;
      next = error.batch.lastOffset + 1n;
    }
  }
}

/**
 * Tells whether the record alone blocks its partition, because this reader does not know its schema or one of its
 * values.
 */
export function isStoppedByRecord(error: unknown): error is Fault {
  return error instanceof Fault && error.isRetryable && /^contracts\.|\.unknown-(change|operation)$/.test(error.code);
}

/** A record that stands for a batch that is skipped; null for any other record. */
export function skippedBatchRecord({ skip }: Pick<ReceivedRecord, "skip">): UnreadableReason | null {
  return skip === undefined ? null : skipByOperator(skip);
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

async function readNewLetters(ports: OperatorSkipsPorts, partition: number, known: PartitionSkips): Promise<void> {
  const { messaging } = ports;
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || ends.logEnd <= known.nextOffset) return;
  const from = known.nextOffset > ends.logStart ? known.nextOffset : ends.logStart;
  if (from < ends.logEnd) {
    for await (const record of requireCovered(messaging.read(place, from, ends.logEnd), place, from, ends.logEnd)) {
      if (record.headers[headers.skip] !== undefined) keep(known, await readSkip(record, ports));
      known.nextOffset = record.offset + 1n;
    }
  }
  known.nextOffset = ends.logEnd;
}

function keep({ skips }: PartitionSkips, skip: Skip | null): void {
  if (skip === null) return;
  skips.set(keyFor(skip.topic, skip, skip.isDone), skip);
  const [oldest] = skips.keys();
  if (skips.size > skipsMax && oldest !== undefined) skips.delete(oldest);
}

/** Returns null for another service's letter, or a record that is no dead letter. */
async function readSkip(record: ReceivedRecord, { serde, service, isValid }: OperatorSkipsPorts): Promise<Skip | null> {
  const decoded = await readOrLearn(record, serde);
  if (typeof decoded === "string" || decoded.name !== "DeadLetter" || decoded.value.service !== service) return null;
  const isDone = record.headers[headers.skip] === "done";
  if (!isDone && isValid?.(record) === false) return null;
  const { topic, offset, operator, person, confirmedBy, actionId, reason } = decoded.value;
  const by = { operator: operator ?? "", person, confirmedBy, actionId: actionId ?? "", reason };
  const range = readBatchRange(decoded.value) ?? { firstOffset: offset, lastOffset: offset };
  return { topic, ...range, by, isDone };
}

/** Answers the batch that a dead letter stands for; null if it stands for a record. */
export function readBatchRange(letter: Pick<Records["DeadLetter"], "headers">): SkippedRange | null {
  const range = letter.headers[headers.unreadableBatch];
  return range === undefined ? null : parseBatchRange(Buffer.from(range).toString("latin1"));
}

type SkippedRange = Pick<UnreadableBatch, "firstOffset" | "lastOffset">;

function keyFor(topic: string, { firstOffset, lastOffset }: SkippedRange, isDone: boolean): string {
  return `${topic}@${firstOffset}-${lastOffset}${isDone ? "" : "?"}`;
}
