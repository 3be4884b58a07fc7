// Keeps the order of a producer's sends. Every adapter sends its records through one of these queues.
//
// #1 One batch is in flight at a time, and records leave in call order. (kafkajs trouble A: with two batches in flight
//    an acknowledged one can be lost.)
// #2 When a record fails, all that wait for its partition fail with it; when a batch fails, all that wait do. To go on
//    would break the order of a caller that repeats its sends. Records of other partitions go on.
// #3 A send settles when all its records have, however many batches carried them. It resolves if all are acknowledged;
//    otherwise its Fault says which are.
// #4 At most `waitingRecordsMax` records wait; more are refused.
// #5 While many records arrive, a batch waits longer for others, because one record alone costs the broker as much as
//    ten together.

import { Fault, type Time } from "@sluice/kernel";
import { clientClosed, partlyAppended, requestRefused, unknownOutcome } from "./faults.ts";
import type { AppendResult, OutgoingRecord } from "./port.ts";

export interface SendQueueOptions {
  readonly time: Time;
  /** Milliseconds that the first record of a batch waits for others. */
  readonly lingerMs: number;
  /**
   * #5: most milliseconds that it waits while many arrive. Left out: `lingerMs`, and no wait behind a batch in flight.
   */
  readonly busyLingerMaxMs?: number;
  readonly batchRecordsMax: number;
  /**
   * Most bytes of one partition in one batch, because the broker limits a partition's batch. A single larger record
   * goes alone.
   */
  readonly batchPartitionBytesMax: number;
  readonly recordBytesMax: number;
  readonly waitingRecordsMax: number;
  /**
   * Appends a batch and answers for each record, in its order. Rejects with a Fault that fits `Producer.send` if all
   * failed.
   */
  transmit(records: readonly OutgoingRecord[]): Promise<readonly (AppendResult | Fault)[]>;
}

export interface SendQueue {
  /** Calls `settled` before the promise settles, also if the send is refused. */
  send(records: readonly OutgoingRecord[], settled?: () => void): Promise<readonly AppendResult[]>;
  /** Refuses new sends and resolves once all waiting ones have settled. */
  close(): Promise<void>;
}

const sendRecordsMax = 10_000;
/** Bytes of a record with its key and headers, as every producer takes them. */
export const recordBytesMax = 1_000_000;

interface Send {
  readonly recordCount: number;
  /** By record, with holes where one is not acknowledged. */
  readonly answers: AppendResult[];
  settledCount: number;
  fault: Fault | null;
  readonly settled: (() => void) | null;
  resolve(answers: readonly AppendResult[]): void;
  reject(reason: unknown): void;
}

interface Waiting {
  readonly record: OutgoingRecord;
  /** Upper bound of the record's size on the wire. */
  readonly bytes: number;
  readonly send: Send;
  /** Its place in the send. */
  readonly index: number;
}

export function createSendQueue(options: SendQueueOptions): SendQueue {
  const { time, lingerMs, busyLingerMaxMs = null } = options;
  const pace = createPace(time);
  let waiting: Waiting[] = [];
  /** Monotonic time at which the oldest of them arrived. */
  let waitingFromMs = 0;
  let isTransmitting = false;
  let isClosed = false;
  let linger: Disposable | null = null;
  let idle: (() => void)[] = [];

  function send(records: readonly OutgoingRecord[], settled: (() => void) | null = null): Promise<readonly AppendResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly AppendResult[]>();
    const sent: Send = { recordCount: records.length, answers: [], settledCount: 0, fault: null, settled, resolve, reject };
    const coming = records.map((record, index) => ({ record, bytes: estimateBytes(record), send: sent, index }));
    const refusal = checkSend(coming, waiting.length, isClosed, options);
    if (refusal !== null) return refuse(sent, refusal);
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

  /** Returns how long the gathering batch still waits. */
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
      pace.record(count);
      await transmit(batch);
      if (busyLingerMaxMs !== null && leftMs() > 0) break;
    }
    isTransmitting = false;
    if (waiting.length > 0) return wake();
    for (const resolve of idle.splice(0)) resolve();
  }

  async function transmit(batch: readonly Waiting[]): Promise<void> {
    try {
      const faults = settleAll(batch, await options.transmit(batch.map(({ record }) => record)));
      if (faults === null) return;
      // #2
      const behind = waiting;
      waiting = behind.filter(({ record }) => !faults.has(placeOf(record)));
      failAll(behind, faults);
    } catch (error) {
      // #2
      const fault = error instanceof Fault ? error : unknownOutcome("the broker's answer was lost", error);
      for (const one of [...batch, ...waiting.splice(0)]) settle(one, fault);
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

/** Milliseconds to wait for each record that arrives per millisecond: 20 ms at 2,000 records a second. */
const busyLingerPerRecordMs = 10;

/** After this many milliseconds without a batch the rate counts as zero. */
const paceForgottenMs = 200;

/** Measures the current rate in records per millisecond. */
function createPace(time: Time) {
  let [perMs, atMs] = [0, time.monotonicMs()];
  const sinceMs = (): number => time.monotonicMs() - atMs;
  return {
    perMs: () => (sinceMs() > paceForgottenMs ? 0 : perMs),
    record(count: number): void {
      const now = count / Math.max(1, sinceMs());
      perMs = sinceMs() > paceForgottenMs ? now : (perMs + now) / 2;
      atMs = time.monotonicMs();
    },
  };
}

function refuse({ settled }: Send, refusal: Fault): Promise<never> {
  settled?.();
  return Promise.reject(refusal);
}

function settle({ send, index }: Waiting, answer: AppendResult | Fault): void {
  send.settledCount += 1;
  if (answer instanceof Fault) send.fault = moreDoubtful(send.fault, answer);
  else send.answers[index] = answer;
  if (send.settledCount < send.recordCount) return;
  send.settled?.();
  if (send.fault === null) return send.resolve(send.answers);
  send.reject(
    partlyAppended(
      Array.from({ length: send.recordCount }, (_, place) => send.answers[place] ?? null),
      send.fault,
    ),
  );
}

/** Returns the Faults by the partitions that failed; null: none did. */
function settleAll(batch: readonly Waiting[], answers: readonly (AppendResult | Fault)[]): ReadonlyMap<string, Fault> | null {
  if (answers.length !== batch.length) throw unknownOutcome("the answer does not name every record sent");
  let faults: Map<string, Fault> | null = null;
  let index = 0;
  for (const one of batch) {
    const answer = answers[index++]!;
    settle(one, answer);
    if (answer instanceof Fault) (faults ??= new Map<string, Fault>()).set(placeOf(one.record), answer);
  }
  return faults;
}

function failAll(waiting: readonly Waiting[], faults: ReadonlyMap<string, Fault>): void {
  for (const one of waiting) {
    const fault = faults.get(placeOf(one.record));
    if (fault !== undefined) settle(one, fault);
  }
}

/** Of two reasons the one that says less: a record that may be there outweighs one that is not. */
export function moreDoubtful(first: Fault | null, second: Fault): Fault {
  return first !== null && first.code !== "messaging.refused" ? first : second;
}

function placeOf({ topic, partition }: OutgoingRecord): string {
  return `${topic}/${partition}`;
}

function checkSend(coming: readonly Waiting[], waitingCount: number, isClosed: boolean, options: SendQueueOptions): Fault | null {
  const count = coming.length;
  if (isClosed) return clientClosed("the producer is closed");
  const wrongCount = checkCount(count);
  if (wrongCount !== null) return wrongCount;
  // A send is accepted as a whole or not at all; an empty queue accepts any.
  if (waitingCount > 0 && waitingCount + count > options.waitingRecordsMax) {
    return requestRefused(`more than ${options.waitingRecordsMax} records wait to be sent`, { isRetryable: true });
  }
  return checkBytes(coming, options.recordBytesMax);
}

function checkCount(count: number): Fault | null {
  if (count > 0 && count <= sendRecordsMax) return null;
  return requestRefused(`a send holds 1 to ${sendRecordsMax} records, this one ${count}`, { isRetryable: false });
}

function checkBytes(coming: readonly Pick<Waiting, "bytes">[], bytesMax: number): Fault | null {
  const tooLarge = coming.find(({ bytes }) => bytes > bytesMax);
  if (tooLarge === undefined) return null;
  return requestRefused(`a record of ${tooLarge.bytes} bytes is larger than ${bytesMax}`, { isRetryable: false });
}

/** True if every producer refuses the record for its size. */
export function isTooLarge(record: OutgoingRecord): boolean {
  return estimateBytes(record) > recordBytesMax;
}

/** Returns why a send that goes to several queues would be refused by one of them; null: it would not for its size. */
export function checkSizes(records: readonly OutgoingRecord[]): Fault | null {
  return (
    checkCount(records.length) ??
    checkBytes(
      records.map((record) => ({ bytes: estimateBytes(record) })),
      recordBytesMax,
    )
  );
}

function nextBatchCount(waiting: readonly Waiting[], options: SendQueueOptions): number {
  const count = Math.min(waiting.length, options.batchRecordsMax);
  let bytes = 0;
  for (let index = 0; index < count; index += 1) bytes += waiting[index]?.bytes ?? 0;
  // Usually the whole batch is within the bound of one partition.
  return bytes <= options.batchPartitionBytesMax ? count : countWithinPartitions(waiting.slice(0, count), options.batchPartitionBytesMax);
}

function countWithinPartitions(waiting: readonly Waiting[], partitionBytesMax: number): number {
  const bytesByPartition = new Map<string, number>();
  for (const [count, { record, bytes }] of waiting.entries()) {
    const place = placeOf(record);
    const sum = (bytesByPartition.get(place) ?? 0) + bytes;
    if (count > 0 && sum > partitionBytesMax) return count;
    bytesByPartition.set(place, sum);
  }
  return waiting.length;
}

/** Estimates an upper bound of a record's size on the wire, including its framing. */
function estimateBytes({ key, value, headers }: OutgoingRecord): number {
  let bytes = 64 + (key?.length ?? 0) + (value?.length ?? 0);
  for (const name in headers) bytes += 16 + 4 * (name.length + (headers[name]?.length ?? 0));
  return bytes;
}
