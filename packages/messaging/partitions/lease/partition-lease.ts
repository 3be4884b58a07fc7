// The lease of a partition: the right of this process to work on it, under an owner epoch in the store. It lives from
// the assignment of the partition to the end of the assignment, over every epoch that it has meanwhile. Its states are
// drawn in `lease-state.ts`; its owner brings only what a take-over reads and what a loss drops.
//
// #1 Every write of the partition's document needs the epoch. Where the store refuses one, another owner has raised the
//    epoch: what was owned is dropped at once, and nothing more is done under this epoch.
// #2 If the group still assigns the partition to this process, that was the late take-over of an earlier owner, and the
//    lease is taken again after the coordinator has confirmed the assignment. Otherwise the group ends it. The first
//    take-over too waits while the coordinator has not answered for half the session time-out: a process that stood
//    still before it would raise the epoch above that of the owner to whom the partition went meanwhile.
// #3 What is taken over is dropped once, also where the assignment ended during the take-over.
// #4 A store that was restored to an older point refuses the next write, or answers a take-over with an epoch or a
//    position that this process has seen already, or names another owner of this process's epoch: after a restore
//    epochs are given a second time. The take-over learns of it: what was done since may be missing.
// #5 A document that is as it was proves nothing about what lies behind its position. So the owner names a witness:
//    what it wrote last. The witness is read before the document. Where it is missing although nobody has raised the
//    epoch, the store was restored. A process that stood still between that read and a write reads the witness again:
//    the store may have been restored meanwhile. An owner whose positions name their witnesses (#7) does not read it
//    before each write.
// #6 An owner that reads and writes nothing looks at its document all the same (`partition-watch.ts`). A document that
//    is not at or beyond what this process knows is acted on as a refused write. A read may be older than a write, so
//    only the take-over that follows decides whether the store was restored.
// #7 A write that was on its way when the store was restored may land behind that, as the first one. So a position may
//    name what was written before it. Where a take-over does not find that, it moves the position back. An owner whose
//    positions name nothing moves it back itself, to the newest one behind which it saw its witness.

import { assert, Fault, formatReason, type Logger, sleep, type Time } from "@sluice/kernel";
import { leaseEpoch, type LeaseEvent, type LeaseState, nextLeaseState } from "./lease-state.ts";
import type { LeasePosition, Look, PartitionWatch, StoredPosition } from "./partition-watch.ts";

/**
 * Milliseconds, longer than several heartbeats: an answer of the coordinator that is younger came after the epoch was
 * lost.
 */
export const confirmedAfterMs = 3_500;
/** #2: milliseconds, half the session time-out. */
const heartbeatAgeMaxMs = 3_000;
/** #2: milliseconds between two looks at the coordinator's answers. */
const unconfirmedWaitMs = 100;
/** #5: milliseconds from the begin of a witness's read to the write that relies on it. */
const witnessAgeMaxMs = 1_000;
/** Reads of the witness before one write. */
const witnessReadsMax = 3;

/** The documents of partitions in the store, as far as a lease needs them. */
export interface LeaseStore<Document, Unproven = never> {
  /** Raises the owner epoch and answers the document. */
  takeOver(service: string, partition: number): Promise<Document>;
  /** Writes by compare-and-set on `held`; answers false where it is not what the store has. */
  write(
    service: string,
    partition: number,
    held: LeasePosition,
    position: bigint,
    state?: unknown,
    unproven?: Unproven | null,
  ): Promise<boolean>;
  /** #7: moves the position back by compare-and-set on `held`; answers false where it is not what the store has. */
  moveBack(service: string, partition: number, held: LeasePosition, position: bigint): Promise<boolean>;
  /** Lists what it has of each partition of a service. */
  positions(service: string): Promise<readonly StoredPosition[]>;
}

export interface PartitionLeaseOptions<Document extends LeasePosition, Owned, Unproven = never> {
  /** Names the service in the partition's document. */
  readonly service: string;
  readonly partition: number;
  readonly store: LeaseStore<Document, Unproven>;
  readonly time: Time;
  readonly logger: Logger;
  /** Looks at the store while the partition is owned. */
  readonly watch: PartitionWatch;
  /** Aborted once the group has ended the assignment for which the lease is, also while it is being taken. */
  readonly assignmentOver: AbortSignal;
  /** Milliseconds since the group's coordinator last answered this process. */
  heartbeatAgeMs(): number;
  /** True once the process ends: a lost lease is not taken again. */
  isStopping?(): boolean;
  /**
   * Reads all that an owner starts from. Where it rejects, it has dropped what it began. `hasGoneBack` is true if the
   * store was restored to an older point since this process owned the partition (#4).
   */
  takeOver(document: Document, hasGoneBack: boolean): Promise<Owned>;
  /** #5: true if the store lacks what this owner wrote last. Rejects as the store does. */
  isWitnessMissing(): Promise<boolean>;
  /**
   * #7: the position to which the document's goes back, because the store lacks what was written before that; null
   * where it has everything. Rejects as the store does.
   */
  findProven?(document: Document): Promise<bigint | null>;
  /** The partition is owned from now on. Must not throw. */
  granted(owned: Owned): void;
  /** Another owner has raised the epoch. Called before `drop`. */
  lost(epoch: number): void;
  /** Ends all work on what was taken over. */
  drop(owned: Owned, reason: string): void;
  /** The coordinator has not confirmed the assignment yet; the lease waits on. */
  unconfirmed?(): void;
}

const raisedByAnother = "another owner has taken it over";
const absent: LeasePosition = { epoch: 0, owners: [], position: 0n };

/** #4: true if the store names another owner of the epoch that is held. */
function isGivenTwice(held: LeasePosition, found: LeasePosition): boolean {
  const owner = found.owners.find((one) => one.startsWith(`${held.epoch}:`));
  return owner !== undefined && owner !== held.owners[0];
}

export class PartitionLease<Document extends LeasePosition, Owned, Unproven = never> {
  readonly #options: PartitionLeaseOptions<Document, Owned, Unproven>;
  #state: LeaseState = { kind: "unowned" };
  #owned: Owned | null = null;
  /** Ends the looks at what is owned. */
  #watched: Disposable | null = null;
  /** What this process knows that the store has or had; null before the first take-over. */
  #held: LeasePosition | null = null;
  /** #4; until a take-over has succeeded. */
  #hasGoneBack = false;
  /** #7: the newest position of the held epoch that was there before the witness was found. */
  #proven = 0n;
  #waiting: Disposable | null = null;

  constructor(options: PartitionLeaseOptions<Document, Owned, Unproven>) {
    this.#options = options;
  }

  /** What was taken over; null while the partition is not owned. */
  get owned(): Owned | null {
    return this.#owned;
  }

  /** The epoch that counts, from the store's answer to a take-over on; null while there is none. */
  get epoch(): number | null {
    return leaseEpoch(this.#state);
  }

  /** Takes the partition over at its assignment. Rejects as the store and `takeOver` do; a later call tries again. */
  async take(): Promise<Owned> {
    assert(this.#state.kind === "unowned", "a lease is taken once for each assignment");
    this.#on({ kind: "take" });
    await this.#waitUntilConfirmed();
    return await this.#takeOver();
  }

  /** #2. Rejects where the assignment is over before that: nothing is raised for one that another process has. */
  async #waitUntilConfirmed(): Promise<void> {
    const { partition, time, assignmentOver } = this.#options;
    const isOver = (): boolean => assignmentOver.aborted || this.#state.kind === "over";
    while (!isOver() && this.#options.heartbeatAgeMs() >= heartbeatAgeMaxMs) await sleep(time, unconfirmedWaitMs, assignmentOver);
    if (!isOver()) return;
    this.#on({ kind: "failed" });
    throw new Fault("messaging.lease-lost", `partition ${partition}: its assignment is over`, { isRetryable: true });
  }

  /**
   * #1, #4: writes position (and state, unless undefined) under an epoch; answers false where the store refuses.
   * Without `unproven` (#7) the witness is read first.
   */
  async write(epoch: number, position: bigint, state?: unknown, unproven?: Unproven): Promise<boolean> {
    const { service, partition, store } = this.#options;
    const held = this.#held;
    if (held?.epoch !== epoch) return false;
    if (unproven === undefined && (await this.#isWitnessMissingNow())) {
      this.#judge(held, true, await store.positions(service));
      return false;
    }
    if (await store.write(service, partition, held, position, state, unproven)) {
      if (this.#held?.epoch === epoch) this.#held = { ...held, position };
      return true;
    }
    this.lose(epoch);
    return false;
  }

  /** #5 */
  async #isWitnessMissingNow(): Promise<boolean> {
    const { time, partition } = this.#options;
    for (let reads = 0; reads < witnessReadsMax; reads += 1) {
      const fromMs = time.monotonicMs();
      if (await this.#isWitnessMissing()) return true;
      if (time.monotonicMs() - fromMs <= witnessAgeMaxMs) return false;
    }
    const reason = `partition ${partition}: the store took longer than ${witnessAgeMaxMs} ms to answer, ${witnessReadsMax} times`;
    throw new Fault("messaging.witness-late", reason, { isRetryable: true });
  }

  /** #7: the position that was there before the read is proven by it. */
  async #isWitnessMissing(): Promise<boolean> {
    const before = this.#held;
    if (await this.#options.isWitnessMissing()) return true;
    if (before !== null && before.epoch === this.#held?.epoch) this.#proven = before.position;
    return false;
  }

  /** Gives the lease up after the store has shown that another owner has raised the epoch. */
  lose(epoch: number): void {
    if (epoch !== this.epoch) return;
    this.#on({ kind: "refused", epoch, nowMs: this.#options.time.monotonicMs() });
    this.#options.lost(epoch);
    this.#drop(raisedByAnother);
    this.#retakeLater();
  }

  /** Gives the lease up after the store has shown that it lacks what was written under it. */
  loseStore(epoch: number): void {
    if (epoch !== this.epoch) return;
    this.#hasGoneBack = true;
    this.lose(epoch);
  }

  /** #6: looks at the store now. Rejects as the store does. */
  async look(): Promise<void> {
    const judge = await this.#beginLook();
    judge?.(await this.#options.store.positions(this.#options.service));
  }

  /** #5, #6: the answer is compared with what was known before the look began. */
  async #beginLook(): Promise<Look | null> {
    const held = this.#held;
    if (held === null || held.epoch !== this.epoch) return null;
    const isMissing = await this.#isWitnessMissing();
    return (stored) => this.#judge(held, isMissing, stored);
  }

  #judge(held: LeasePosition, isWitnessMissing: boolean, stored: readonly StoredPosition[]): void {
    const found = stored.find(({ partition }) => partition === this.#options.partition) ?? absent;
    const isRaised = found.epoch > held.epoch;
    if (isGivenTwice(held, found) || (isWitnessMissing && !isRaised)) this.loseStore(held.epoch);
    else if (isRaised || found.epoch < held.epoch || found.position < held.position) this.lose(held.epoch);
  }

  /** The assignment is over. */
  close(reason: string): void {
    this.#on({ kind: "closed", reason });
    this.#waiting?.[Symbol.dispose]();
    this.#drop(reason);
  }

  #on(event: LeaseEvent): void {
    this.#state = nextLeaseState(this.#state, event);
  }

  async #takeOver(): Promise<Owned> {
    const { service, partition, store } = this.#options;
    try {
      const document = await this.#moveBackToProven(await store.takeOver(service, partition));
      this.#hasGoneBack ||= this.#isOlder(document);
      this.#held = { epoch: document.epoch, owners: document.owners, position: document.position };
      this.#proven = document.position;
      this.#on({ kind: "raised", epoch: document.epoch });
      const owned = await this.#options.takeOver(document, this.#hasGoneBack);
      // What this take-over learnt too late, because its epoch is lost already, is for the next one.
      if (this.epoch === document.epoch) this.#hasGoneBack = false;
      this.#on({ kind: "granted", epoch: document.epoch });
      this.#settle(owned);
      return owned;
    } catch (error) {
      this.#on({ kind: "failed" });
      throw error;
    }
  }

  /** #7 */
  async #moveBackToProven(document: Document): Promise<Document> {
    const { service, partition, store } = this.#options;
    const isNamed = this.#options.findProven !== undefined;
    const proven = isNamed ? ((await this.#options.findProven?.(document)) ?? null) : this.#findOwnProven(document);
    if (proven === null) return document;
    if (!(await store.moveBack(service, partition, document, proven))) {
      throw new Fault("messaging.lease-lost", `partition ${partition}: ${raisedByAnother}`, { isRetryable: true });
    }
    this.#hasGoneBack = true;
    return { ...document, position: proven };
  }

  /** #7: null where nothing was lost, and where another owner came between. */
  #findOwnProven({ owners, position }: Document): bigint | null {
    const isNext = owners[1] !== undefined && owners[1] === this.#held?.owners[0];
    return this.#hasGoneBack && isNext && this.#proven < position ? this.#proven : null;
  }

  /** #4 */
  #isOlder(document: LeasePosition): boolean {
    const held = this.#held;
    return held !== null && (document.epoch <= held.epoch || document.position < held.position || isGivenTwice(held, document));
  }

  #settle(owned: Owned): void {
    const state = this.#state;
    if (state.kind === "owned") {
      this.#owned = owned;
      this.#watched = this.#options.watch.add({ beginLook: () => this.#beginLook() });
      this.#options.granted(owned);
      return;
    }
    // #3
    this.#options.drop(owned, state.kind === "over" ? state.reason : raisedByAnother);
    if (state.kind === "over") return;
    const { partition } = this.#options;
    throw new Fault("messaging.lease-lost", `partition ${partition}: ${raisedByAnother}`, { isRetryable: true });
  }

  #drop(reason: string): void {
    const owned = this.#owned;
    this.#owned = null;
    this.#watched?.[Symbol.dispose]();
    this.#watched = null;
    if (owned !== null) this.#options.drop(owned, reason);
  }

  /** #2 */
  #retakeLater(): void {
    if (this.#state.kind !== "lost" || this.#options.isStopping?.() === true) return;
    this.#waiting = this.#options.time.after(confirmedAfterMs, () => this.#retake());
  }

  #retake(): void {
    const { partition, time, logger } = this.#options;
    if (this.#options.isStopping?.() === true) return;
    this.#on({ kind: "waited", nowMs: time.monotonicMs(), heartbeatAgeMs: this.#options.heartbeatAgeMs() });
    if (this.#state.kind !== "taking-over") {
      this.#options.unconfirmed?.();
      this.#retakeLater();
      return;
    }
    this.#takeOver().catch((error: unknown) => {
      logger.warn("partition.retake-failed", { partition, reason: formatReason(error) });
      this.#retakeLater();
    });
  }
}
