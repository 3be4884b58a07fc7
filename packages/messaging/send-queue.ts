// The order of a producer's sends. Every adapter puts its records on the wire through one of these.
//
// #1 One batch is under way at a time; records leave in call order. (kafkajs trouble A: with two under way an acknowledged
//    batch can be lost.)
// #2 When a batch fails, every send that waits fails with it: going on with the next ones would break the order of a caller
//    that sends them again.
// #3 A send resolves when all its records are acknowledged, however many batches carried them.
// #4 At most `waitingRecordsMax` records wait; more are refused.
// #5 While many records come, a batch waits longer for company: for the log a record that comes alone costs as much as ten that come together.

import type { Time } from "@sluice/runtime";
import { Fault } from "@sluice/runtime";
import { closed, refused, unknownOutcome } from "./faults.ts";
import type { Appended, OutgoingRecord } from "./port.ts";

export interface SendQueueOptions {
  readonly time: Time;
  /** How long the first record of a batch waits for company. */
  readonly lingerMs: number;
  /** #5. The most that it waits while many come; not given: `lingerMs`, and not at all behind a batch that was under way. */
  readonly busyLingerMaxMs?: number;
  readonly batchRecordsMax: number;
  /** Bytes of one partition in one batch; the server limits a partition's batch. A single larger record goes alone. */
  readonly batchPartitionBytesMax: number;
  readonly recordBytesMax: number;
  readonly waitingRecordsMax: number;
  /** Puts a batch into the log and answers in its order, or rejects with a Fault that fits `Producer.send`. */
  transmit(records: readonly OutgoingRecord[]): Promise<readonly Appended[]>;
}

export interface SendQueue {
  send(records: readonly OutgoingRecord[]): Promise<readonly Appended[]>;
  /** Refuses new sends, waits until those that wait are answered. */
  close(): Promise<void>;
}

export const sendRecordsMax = 10_000;

interface Send {
  readonly answers: Appended[];
  readonly recordsCount: number;
  resolve(answers: readonly Appended[]): void;
  reject(reason: unknown): void;
}

interface Waiting {
  readonly record: OutgoingRecord;
  /** Upper bound. */
  readonly bytes: number;
  readonly send: Send;
}

export function createSendQueue(options: SendQueueOptions): SendQueue {
  const { time, lingerMs, busyLingerMaxMs = null } = options;
  const pace = createPace(time);
  let waiting: Waiting[] = [];
  /** When the oldest of them came. */
  let waitingFromMs = 0;
  let isTransmitting = false;
  let isClosed = false;
  let linger: Disposable | null = null;
  let idle: (() => void)[] = [];

  function send(records: readonly OutgoingRecord[]): Promise<readonly Appended[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Appended[]>();
    const sent: Send = { answers: [], recordsCount: records.length, resolve, reject };
    const coming = records.map((record) => ({ record, bytes: bytesOf(record), send: sent }));
    const refusal = refusalOf(coming, waiting.length, isClosed, options);
    if (refusal !== null) return Promise.reject(refusal);
    if (waiting.length === 0) waitingFromMs = time.monotonicMs();
    for (const one of coming) waiting.push(one);
    wake();
    return promise;
  }

  function wake(): void {
    if (isTransmitting || (linger !== null && waiting.length < options.batchRecordsMax)) return;
    const waitMs = leftMs();
    if (waitMs <= 0) void flush();
    else linger ??= time.after(waitMs, () => void flush());
  }

  /** How long the batch that gathers still waits. */
  function leftMs(): number {
    if (isClosed || lingerMs === 0 || waiting.length >= options.batchRecordsMax) return 0;
    const busyMs = busyLingerMaxMs === null ? 0 : Math.min(busyLingerMaxMs, pace.perMs() * busyLingerPerRecordMs);
    return Math.ceil(waitingFromMs + Math.max(lingerMs, busyMs) - time.monotonicMs());
  }

  async function flush(): Promise<void> {
    linger?.[Symbol.dispose]();
    linger = null;
    if (isTransmitting) return;
    isTransmitting = true;
    while (waiting.length > 0) {
      const count = nextBatchCount(waiting, options);
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      pace.passed(count);
      await transmit(batch);
      if (busyLingerMaxMs !== null && leftMs() > 0) break;
    }
    isTransmitting = false;
    if (waiting.length > 0) return wake();
    for (const resolve of idle.splice(0)) resolve();
  }

  async function transmit(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await options.transmit(batch.map(({ record }) => record));
      for (const [index, { send }] of batch.entries()) settle(send, answers[index]);
    } catch (error) {
      // #2
      const failed = new Set([...batch, ...waiting].map(({ send }) => send));
      waiting = [];
      for (const send of failed) send.reject(reasonFor(send, error));
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    if (waiting.length === 0 && !isTransmitting) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    idle = [...idle, resolve];
    void flush();
    await promise;
  }

  return { send, close };
}

/** Milliseconds of waiting for each record that comes in a millisecond: 20 ms where 2,000 come in a second. */
const busyLingerPerRecordMs = 10;

/** After so long without a batch it is not many that come. */
const paceForgottenMs = 200;

/** How many records leave in a millisecond, as of late. */
function createPace(time: Time) {
  let [perMs, atMs] = [0, time.monotonicMs()];
  const sinceMs = (): number => time.monotonicMs() - atMs;
  return {
    perMs: () => (sinceMs() > paceForgottenMs ? 0 : perMs),
    passed(count: number): void {
      const now = count / Math.max(1, sinceMs());
      perMs = sinceMs() > paceForgottenMs ? now : (perMs + now) / 2;
      atMs = time.monotonicMs();
    },
  };
}

function settle(send: Send, answer: Appended | undefined): void {
  if (answer === undefined) throw unknownOutcome("the answer does not name every record sent");
  send.answers.push(answer);
  if (send.answers.length === send.recordsCount) send.resolve(send.answers);
}

/** A send of which a part is in the log was not refused, whatever became of the rest. */
function reasonFor(send: Send, error: unknown): Fault {
  if (!(error instanceof Fault)) return unknownOutcome("the log's answer was lost", error);
  if (error.code === "messaging.refused" && send.answers.length > 0) return unknownOutcome("only a part was appended", error);
  return error;
}

function refusalOf(coming: readonly Waiting[], waitingCount: number, isClosed: boolean, options: SendQueueOptions): Fault | null {
  const count = coming.length;
  if (isClosed) return closed("the producer is closed");
  if (count === 0 || count > sendRecordsMax) {
    return refused(`a send holds 1 to ${sendRecordsMax} records, this one ${count}`, { isRetryable: false });
  }
  // A send is taken whole or not at all; an empty queue takes any.
  if (waitingCount > 0 && waitingCount + count > options.waitingRecordsMax) {
    return refused(`more than ${options.waitingRecordsMax} records wait to be sent`, { isRetryable: true });
  }
  const tooLarge = coming.find(({ bytes }) => bytes > options.recordBytesMax);
  if (tooLarge === undefined) return null;
  return refused(`a record of ${tooLarge.bytes} bytes is larger than ${options.recordBytesMax}`, { isRetryable: false });
}

function nextBatchCount(waiting: readonly Waiting[], options: SendQueueOptions): number {
  const count = Math.min(waiting.length, options.batchRecordsMax);
  let bytes = 0;
  for (let index = 0; index < count; index += 1) bytes += waiting[index]?.bytes ?? 0;
  // Together they are not more than one partition may have: they hardly ever are.
  return bytes <= options.batchPartitionBytesMax ? count : countWithinPartitions(waiting.slice(0, count), options.batchPartitionBytesMax);
}

function countWithinPartitions(waiting: readonly Waiting[], partitionBytesMax: number): number {
  const bytesByPartition = new Map<string, number>();
  for (const [count, { record, bytes }] of waiting.entries()) {
    const place = `${record.topic}/${record.partition}`;
    const sum = (bytesByPartition.get(place) ?? 0) + bytes;
    if (count > 0 && sum > partitionBytesMax) return count;
    bytesByPartition.set(place, sum);
  }
  return waiting.length;
}

/** Upper bound of what a record takes, its framing included. */
function bytesOf({ key, value, headers }: OutgoingRecord): number {
  let bytes = 64 + (key?.length ?? 0) + (value?.length ?? 0);
  for (const name in headers) bytes += 16 + 4 * (name.length + (headers[name]?.length ?? 0));
  return bytes;
}
