// The memory adapter's consumer.
//
// #1 Nothing of a partition is handed over before `assigned` was answered, nothing below the answer, nothing while paused.
// #2 A hand-over, an answer or a commit of an epoch that is over has no effect.

import type { Random, Time } from "@sluice/runtime";
import { commitFailed, consumerFailed, outsideLog } from "./faults.ts";
import type { GroupMember, MemoryGroups } from "./memory-groups.ts";
import type { MemoryRecords } from "./memory-log.ts";
import type { Link } from "./memory-network.ts";
import type { AssignedLog, Consumer, ConsumerOptions, ReceivedRecord, TopicPartition } from "./port.ts";

export interface MemoryConsumerOptions {
  readonly time: Time;
  readonly random: Random;
  readonly records: MemoryRecords;
  readonly groups: MemoryGroups;
  readonly link: Link;
  readonly heartbeatIntervalMs: number;
  readonly fetchRecordsMax: number;
  nextEpoch(): number;
  observe(operation: string, key: string, bytes: Uint8Array): void;
}

interface Held {
  readonly partition: TopicPartition;
  readonly epoch: number;
  /** Null until `assigned` was answered. */
  nextOffset: bigint | null;
  isPaused: boolean;
  isFetching: boolean;
}

interface Fetched {
  readonly taken: readonly ReceivedRecord[];
  readonly nextOffset: bigint;
}

const nothing = new Uint8Array();

export class MemoryConsumer implements Consumer, GroupMember {
  readonly link: Link;
  readonly topics: readonly string[];
  readonly #consumed: ConsumerOptions;
  readonly #options: MemoryConsumerOptions;
  readonly #watches: readonly Disposable[];
  #held = new Map<string, Held>();
  #isOver = false;
  #isAllPaused = false;
  #joinedAtMs: number | null = null;

  constructor(consumed: ConsumerOptions, options: MemoryConsumerOptions) {
    this.link = options.link;
    this.topics = consumed.topics;
    this.#consumed = consumed;
    this.#options = options;
    this.#watches = consumed.topics.map((topic) =>
      options.records.watch(topic, (partition) => this.#fetchSoon(this.#held.get(placeOf({ topic, partition })))),
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
      // Two silences that overlap end in two joins under way; a member is one all the same.
      const { group } = this.#consumed;
      if (!this.#isGone && !this.#options.groups.isMember(group, this)) this.#options.groups.join(group, this);
      return;
    }
  }

  /** After a silence: a member whose session ended gives everything up and joins again. */
  rejoin(): void {
    if (this.#isGone || this.#options.groups.isMember(this.#consumed.group, this)) return;
    this.revoke();
    void this.#join();
  }

  revoke(): void {
    if (this.#isGone) return;
    const lost = [...this.#held.values()];
    this.#held = new Map();
    for (const { partition, epoch } of lost) {
      this.#options.observe("revoked", placeOf(partition), nothing);
      this.#consumed.handlers.revoked(partition, epoch);
    }
  }

  assign(partitions: readonly TopicPartition[]): void {
    if (this.#isGone) return;
    this.revoke();
    this.#joinedAtMs = this.#options.time.monotonicMs();
    const epoch = this.#options.nextEpoch();
    for (const partition of partitions) {
      const mine: Held = { partition, epoch, nextOffset: null, isPaused: false, isFetching: false };
      this.#held.set(placeOf(partition), mine);
      void this.#take(mine);
    }
  }

  async #take(mine: Held): Promise<void> {
    try {
      const log = await this.#logOf(mine);
      if (!this.#isMine(mine)) return;
      this.#options.observe("assigned", placeOf(mine.partition), nothing);
      const startAt = await this.#consumed.handlers.assigned(mine.partition, mine.epoch, log);
      if (!this.#isMine(mine)) return;
      requireInside(mine.partition, startAt, this.#options.records);
      mine.nextOffset = startAt;
      this.#fetchSoon(mine);
    } catch (error) {
      if (this.#isMine(mine)) this.#fail(error);
    }
  }

  async #logOf(mine: Held): Promise<AssignedLog> {
    const { records, groups } = this.#options;
    for (;;) {
      try {
        return await this.link.call(() => ({
          ...records.ends(mine.partition),
          committed: groups.committed(this.#consumed.group, mine.partition),
        }));
      } catch (error) {
        // The broker is down: its answer is waited for as long as the partition is ours.
        if (!this.#isMine(mine)) throw error;
      }
    }
  }

  #fetchSoon(mine: Held | undefined): void {
    if (mine === undefined || mine.isFetching || mine.isPaused || this.#isAllPaused || mine.nextOffset === null) return;
    if (this.#options.records.ends(mine.partition).logEnd <= mine.nextOffset) return;
    mine.isFetching = true;
    void this.#fetch(mine, mine.nextOffset);
  }

  async #fetch(mine: Held, from: bigint): Promise<void> {
    const { random, fetchRecordsMax } = this.#options;
    const count = 1 + Math.floor(random.fraction() * fetchRecordsMax);
    const fetched = await this.link.call(() => this.#read(mine.partition, from, count)).catch(() => null);
    mine.isFetching = false;
    if (!this.#isMine(mine)) return;
    if (fetched !== null && !mine.isPaused && !this.#isAllPaused) this.#handOver(mine, fetched);
    this.#fetchSoon(mine);
  }

  #read(partition: TopicPartition, from: bigint, count: number): Fetched {
    const { records } = this.#options;
    const taken = records.slice(partition, from, count);
    const last = taken.at(-1);
    return { taken, nextOffset: last === undefined ? records.ends(partition).logEnd : last.offset + 1n };
  }

  #handOver(mine: Held, { taken, nextOffset }: Fetched): void {
    mine.nextOffset = nextOffset;
    if (taken.length === 0) return;
    for (const { offset, value } of taken) {
      this.#options.observe("record", `${placeOf(mine.partition)}@${offset}`, value ?? nothing);
    }
    this.#consumed.handlers.records(mine.partition, mine.epoch, taken);
  }

  #isMine(mine: Held): boolean {
    return !this.#isGone && this.#held.get(placeOf(mine.partition)) === mine;
  }

  #fail(error: unknown): void {
    this.#end();
    this.#options.groups.leave(this.#consumed.group, this);
    this.#consumed.handlers.failed(error instanceof Error ? error : consumerFailed("a handler failed", error));
  }

  #end(): void {
    this.#isOver = true;
    this.#held = new Map();
    for (const watch of this.#watches) watch[Symbol.dispose]();
  }

  pause(partition: TopicPartition): void {
    const mine = this.#held.get(placeOf(partition));
    if (mine !== undefined) mine.isPaused = true;
  }

  resume(partition: TopicPartition): void {
    const mine = this.#held.get(placeOf(partition));
    if (mine !== undefined) mine.isPaused = false;
    this.#fetchSoon(mine);
  }

  async commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void> {
    if (this.#held.get(placeOf(partition))?.epoch !== epoch) return;
    const { group } = this.#consumed;
    this.#options.observe("commit", `${group}:${placeOf(partition)}@${nextOffset}`, nothing);
    try {
      await this.link.call(() => this.#options.groups.commit(group, this, partition, nextOffset));
    } catch (error) {
      throw commitFailed("the coordinator did not answer", error);
    }
  }

  heartbeatAgeMs(): number {
    // Whose session has ended is answered no heartbeat any more, also where answers reach it again.
    if (!this.#options.groups.isMember(this.#consumed.group, this)) return Number.POSITIVE_INFINITY;
    return heartbeatAgeMs(this.#joinedAtMs, this.link, this.#options.time, this.#options.heartbeatIntervalMs);
  }

  pauseAll(): void {
    this.#isAllPaused = true;
  }

  async stop(): Promise<void> {
    if (this.#isGone) return;
    this.revoke();
    this.#end();
    const leave = (): void => this.#options.groups.leave(this.#consumed.group, this);
    // A broker that does not answer ends the session by itself.
    await this.link.call(leave).catch(leave);
  }
}

function requireInside(partition: TopicPartition, startAt: bigint, records: MemoryRecords): void {
  const { logStart, logEnd } = records.ends(partition);
  if (startAt >= logStart && startAt <= logEnd) return;
  throw outsideLog(`position ${startAt} of ${placeOf(partition)} lies outside ${logStart}…${logEnd}`);
}

/** As if a heartbeat had been answered at every interval since the join, as long as the broker could be reached. */
function heartbeatAgeMs(joinedAtMs: number | null, link: Link, time: Time, intervalMs: number): number {
  if (joinedAtMs === null) return Number.POSITIVE_INFINITY;
  const nowMs = time.monotonicMs();
  const reachedMs = Math.max(joinedAtMs, link.unreachableSinceMs ?? nowMs);
  const answeredMs = reachedMs - ((reachedMs - joinedAtMs) % intervalMs);
  return nowMs - answeredMs;
}

function placeOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
