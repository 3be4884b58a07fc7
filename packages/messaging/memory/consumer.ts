// The memory adapter's consumer.
//
// #1 No record of a partition is handed over before `assigned` has resolved, below the offset it answered, or while
//    paused.
// #2 A batch that cannot be read stops its partition alone. It is read again after a back-off, as in the Kafka adapter.
// #3 A hand-over, an answer or a commit of an old epoch has no effect.

import { Fault, type Random, silentLogger, sleep, type Time } from "@sluice/kernel";
import { commitFailed, consumerFailed, outsideLog } from "../faults.ts";
import type { GroupMember, MemoryGroups } from "./groups.ts";
import { endsOf, type MemoryRecords } from "./records.ts";
import type { NetworkLink } from "./network.ts";
import { handOverPartitions } from "../hand-over.ts";
import { isReportedNow, rereadDelayMs } from "../unreadable-batch.ts";
import type { AssignedOffsets, Consumer, ConsumerOptions, ReceivedRecord, TopicPartition, UnreadableBatch } from "../port.ts";

export interface MemoryConsumerOptions {
  readonly time: Time;
  readonly random: Random;
  readonly records: MemoryRecords;
  readonly groups: MemoryGroups;
  readonly link: NetworkLink;
  readonly heartbeatIntervalMs: number;
  readonly fetchRecordsMax: number;
  nextEpoch(): number;
  observe(operation: string, key: string, bytes: Uint8Array): void;
  fetchFate(partition: TopicPartition): "answer" | "nothing" | "behind";
}

interface Assignment {
  readonly partition: TopicPartition;
  readonly epoch: number;
  /** Null until `assigned` has resolved. */
  nextOffset: bigint | null;
  isPaused: boolean;
  isFetching: boolean;
  /** The batch at which the partition stands and how often it could not be read; null while all can be read (#2). */
  stopped: { readonly firstOffset: bigint; readonly readings: number } | null;
}

interface FetchResult {
  readonly taken: readonly ReceivedRecord[];
  readonly nextOffset: bigint;
  readonly unreadable: UnreadableBatch | null;
}

const nothing = new Uint8Array();
/** Milliseconds until a broker that has answered without records is asked again. */
const emptyWaitMs = 100;

export class MemoryConsumer implements Consumer, GroupMember {
  readonly link: NetworkLink;
  readonly topics: readonly string[];
  readonly #consumed: ConsumerOptions;
  readonly #options: MemoryConsumerOptions;
  readonly #watches: readonly Disposable[];
  #assignments = new Map<string, Assignment>();
  #isOver = false;
  #isAllPaused = false;
  #isHandingOver = false;
  #isAssigned = false;
  #joinedAtMs: number | null = null;

  constructor(consumed: ConsumerOptions, options: MemoryConsumerOptions) {
    this.link = options.link;
    this.topics = consumed.topics;
    this.#consumed = consumed;
    this.#options = options;
    this.#watches = consumed.topics.map((topic) =>
      options.records.watch(topic, (partition) => this.#fetchSoon(this.#assignments.get(keyFor({ topic, partition })))),
    );
    options.time.after(0, () => void this.#join());
  }

  get #isGone(): boolean {
    return this.#isOver || this.link.isDead;
  }

  async #join(): Promise<void> {
    while (!this.#isGone) {
      const isThere = await this.link.arrive().then(
        () => true,
        () => false,
      );
      if (!isThere) continue;
      // Two overlapping silences can start two joins, but the consumer must become a member only once.
      const { group } = this.#consumed;
      if (!this.#isGone && !this.#options.groups.isMember(group, this)) this.#options.groups.join(group, this);
      return;
    }
  }

  /** After a silence, a member whose session has ended gives up everything and joins again. */
  rejoin(): void {
    if (this.#isGone || this.#options.groups.isMember(this.#consumed.group, this)) return;
    this.revoke();
    void this.#join();
  }

  async handOver(): Promise<void> {
    if (this.#isGone) return;
    this.#isHandingOver = true;
    await handOverPartitions([...this.#assignments.values()], {
      handlers: this.#consumed.handlers,
      time: this.#options.time,
      logger: silentLogger,
    });
  }

  revoke(): void {
    if (this.#isGone) return;
    const lost = [...this.#assignments.values()];
    this.#assignments = new Map();
    this.#isAssigned = false;
    for (const { partition, epoch } of lost) {
      this.#options.observe("revoked", keyFor(partition), nothing);
      this.#consumed.handlers.revoked(partition, epoch);
    }
  }

  assign(partitions: readonly TopicPartition[]): void {
    if (this.#isGone) return;
    this.revoke();
    this.#isHandingOver = false;
    this.#isAssigned = true;
    this.#joinedAtMs = this.#options.time.monotonicMs();
    const epoch = this.#options.nextEpoch();
    for (const partition of partitions) {
      const mine: Assignment = { partition, epoch, nextOffset: null, isPaused: false, isFetching: false, stopped: null };
      this.#assignments.set(keyFor(partition), mine);
      void this.#take(mine);
    }
  }

  async #take(mine: Assignment): Promise<void> {
    try {
      const log = await this.#fetchOffsets(mine);
      if (!this.#isCurrent(mine)) return;
      // The client of a session that has ended may not know it yet, and by then another one has the partition.
      const isMember = this.#options.groups.isMember(this.#consumed.group, this);
      this.#options.observe(isMember ? "assigned" : "assigned-late", keyFor(mine.partition), nothing);
      const startAt = await this.#consumed.handlers.assigned(mine.partition, mine.epoch, log);
      if (!this.#isCurrent(mine)) return;
      requireInside(mine.partition, startAt, this.#options.records);
      mine.nextOffset = startAt;
      this.#fetchSoon(mine);
    } catch (error) {
      if (this.#isCurrent(mine)) this.#fail(error);
    }
  }

  async #fetchOffsets(mine: Assignment): Promise<AssignedOffsets> {
    const { records, groups } = this.#options;
    for (;;) {
      try {
        return await this.link.call(() => ({
          ...endsOf(records, mine.partition),
          committed: groups.committed(this.#consumed.group, mine.partition),
        }));
      } catch (error) {
        // The broker is down, or the partition has no leader. The request is repeated while the partition is ours.
        if (!this.#isCurrent(mine)) throw error;
        if (!records.hasLeader(mine.partition)) await sleep(this.#options.time, emptyWaitMs);
      }
    }
  }

  #fetchSoon(mine: Assignment | undefined): void {
    if (mine === undefined || mine.isFetching || mine.isPaused || this.#isAllPaused || mine.nextOffset === null) return;
    if (this.#options.records.ends(mine.partition).logEnd <= mine.nextOffset) return;
    mine.isFetching = true;
    void this.#fetch(mine, mine.nextOffset);
  }

  async #fetch(mine: Assignment, from: bigint): Promise<void> {
    const { random, fetchRecordsMax } = this.#options;
    const count = 1 + Math.floor(random.fraction() * fetchRecordsMax);
    const isEmpty = this.#options.fetchFate(mine.partition) !== "answer";
    if (isEmpty) await sleep(this.#options.time, emptyWaitMs);
    const fetched = isEmpty ? null : await this.link.call(() => this.#read(mine.partition, from, count)).catch(retryableAsNull);
    if (!this.#isCurrent(mine)) return;
    if (fetched instanceof Fault) {
      this.#fail(fetched);
      return;
    }
    if (fetched !== null && !mine.isPaused && !this.#isAllPaused && !this.#isHandingOver) {
      this.#handOver(mine, fetched);
      if (fetched.unreadable !== null) await this.#stopAt(mine, fetched.unreadable);
      else mine.stopped = null;
    }
    mine.isFetching = false;
    if (this.#isCurrent(mine) && !this.#isHandingOver) this.#fetchSoon(mine);
  }

  /** #2 */
  async #stopAt(mine: Assignment, batch: UnreadableBatch): Promise<void> {
    const readings = mine.stopped?.firstOffset === batch.firstOffset ? mine.stopped.readings + 1 : 1;
    mine.stopped = { firstOffset: batch.firstOffset, readings };
    try {
      const isSkipped = isReportedNow(batch, readings) && (await this.#isSkipped(mine, batch));
      if (!isSkipped) await sleep(this.#options.time, rereadDelayMs(readings));
      else if (this.#isCurrent(mine)) mine.nextOffset = batch.lastOffset + 1n;
    } catch (error) {
      if (this.#isCurrent(mine)) this.#fail(error);
    }
  }

  async #isSkipped(mine: Assignment, batch: UnreadableBatch): Promise<boolean> {
    try {
      return (await this.#consumed.handlers.unreadable(batch, mine.epoch)) === "skip";
    } catch (error) {
      if (error instanceof Fault && error.isRetryable) return false;
      throw error;
    }
  }

  #read(partition: TopicPartition, from: bigint, count: number): FetchResult {
    const { records } = this.#options;
    requireInside(partition, from, records);
    const taken = records.slice(partition, from, count);
    const last = taken.at(-1);
    const unreadable = taken.length < count ? records.unreadableAt(partition, last === undefined ? from : last.offset + 1n) : null;
    const stopsAt = unreadable === null ? records.ends(partition).logEnd : from;
    return { taken, nextOffset: last === undefined ? stopsAt : last.offset + 1n, unreadable };
  }

  #handOver(mine: Assignment, { taken, nextOffset }: FetchResult): void {
    mine.nextOffset = nextOffset;
    if (taken.length === 0) return;
    for (const { offset, value } of taken) {
      this.#options.observe("record", `${keyFor(mine.partition)}@${offset}`, value ?? nothing);
    }
    this.#consumed.handlers.records(mine.partition, mine.epoch, taken);
  }

  #isCurrent(mine: Assignment): boolean {
    return !this.#isGone && this.#assignments.get(keyFor(mine.partition)) === mine;
  }

  #fail(error: unknown): void {
    this.#end();
    this.#options.groups.leave(this.#consumed.group, this);
    this.#consumed.handlers.failed(error instanceof Error ? error : consumerFailed("a handler failed", error));
  }

  #end(): void {
    this.#isOver = true;
    this.#assignments = new Map();
    for (const watch of this.#watches) watch[Symbol.dispose]();
  }

  pause(partition: TopicPartition): void {
    const mine = this.#assignments.get(keyFor(partition));
    if (mine !== undefined) mine.isPaused = true;
  }

  resume(partition: TopicPartition): void {
    const mine = this.#assignments.get(keyFor(partition));
    if (mine !== undefined) mine.isPaused = false;
    this.#fetchSoon(mine);
  }

  async commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void> {
    if (this.#assignments.get(keyFor(partition))?.epoch !== epoch) return;
    const { group } = this.#consumed;
    this.#options.observe("commit", `${group}:${keyFor(partition)}@${nextOffset}`, nothing);
    try {
      await this.link.call(() => this.#options.groups.commit(group, this, partition, nextOffset));
    } catch (error) {
      throw commitFailed("the coordinator did not answer", error);
    }
  }

  heartbeatAgeMs(): number {
    // A member whose session has ended gets no heartbeat answers, even once the broker is reachable again.
    if (!this.#options.groups.isMember(this.#consumed.group, this)) return Number.POSITIVE_INFINITY;
    return heartbeatAgeMs(this.#joinedAtMs, this.link, this.#options.time, this.#options.heartbeatIntervalMs);
  }

  assignedCount(): number | null {
    return this.#isAssigned ? this.#assignments.size : null;
  }

  pauseAll(): void {
    this.#isAllPaused = true;
  }

  async stop(): Promise<void> {
    if (this.#isGone) return;
    this.revoke();
    this.#end();
    const leave = (): void => this.#options.groups.leave(this.#consumed.group, this);
    // If the broker does not answer, it ends the session by itself.
    await this.link.call(leave).catch(leave);
  }
}

/** A broker that does not answer is asked again. */
function retryableAsNull(error: unknown): Fault | null {
  return error instanceof Fault && !error.isRetryable ? error : null;
}

function requireInside(partition: TopicPartition, startAt: bigint, records: MemoryRecords): void {
  const { logStart, logEnd } = records.ends(partition);
  if (startAt >= logStart && startAt <= logEnd) return;
  throw outsideLog(`position ${startAt} of ${keyFor(partition)} lies outside ${logStart}…${logEnd}`);
}

/**
 * Computes the age as if a heartbeat had been answered at every interval since the join while the broker was reachable.
 */
function heartbeatAgeMs(joinedAtMs: number | null, link: NetworkLink, time: Time, intervalMs: number): number {
  if (joinedAtMs === null) return Number.POSITIVE_INFINITY;
  const nowMs = time.monotonicMs();
  const reachedMs = Math.max(joinedAtMs, link.unreachableSinceMs ?? nowMs);
  const answeredMs = reachedMs - ((reachedMs - joinedAtMs) % intervalMs);
  return nowMs - answeredMs;
}

function keyFor({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
