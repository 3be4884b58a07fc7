// What a delivery may do under the lease of its partition (`partition-lease.ts` of messaging), from one take-over to
// the loss or the end of the assignment.
//
// #1 An attempt or a write begins only while the partition is open and the group's coordinator answered within half the
//    session time-out. A process that was frozen or is cut off so does nothing with a partition that may have gone to
//    another owner.
// #2 Work under way in a partition that closes is abandoned: its outcome has no effect.
// #3 A write to the store or the broker is repeated until it is acknowledged, as long as the partition is open. Between
//    two tries are 0.1 s to 5 s, and each needs #1.

import { Fault, formatReason, type Logger, type Random, sleep, type Time } from "@sluice/kernel";
import { LinkedList, type ListLink } from "../linked-list.ts";

const staleWaitMs = 100;
const retryWaitMinMs = 100;
const retryWaitMaxMs = 5_000;
const troubleTries = 3;

export interface DeliveryLeaseOptions {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly partition: number;
  readonly heartbeatAgeMaxMs: number;
  heartbeatAgeMs(): number;
}

/** Work that ends when the partition closes. */
export interface CloseListener {
  giveUp(): void;
}

/** The callbacks of a piece of work; exactly one of them is called, once. Neither may throw. */
export interface Completion<Done> {
  resolve(value: Done): void;
  reject(error: unknown): void;
}

/** Work that is done again until it succeeds. */
type RepeatedWork<T> = (failedWith: unknown) => Promise<T>;

export class DeliveryLease {
  readonly #options: DeliveryLeaseOptions;
  readonly #closing = new AbortController();
  /** The listeners of the close, one or two for each message; listeners of an AbortSignal would cost too much. */
  readonly #listeners = new LinkedList<CloseListener>();
  readonly #troubles = new Set<string>();
  #reason: string | null = null;
  #isOpen = true;

  constructor(options: DeliveryLeaseOptions) {
    this.#options = options;
  }

  /** Aborts when the partition closes. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(reason: string): void {
    this.#reason ??= reason;
    this.#isOpen = false;
    this.#closing.abort();
    for (let link = this.#listeners.first; link !== null; link = this.#listeners.first) this.#giveUp(link);
  }

  #giveUp(link: ListLink<CloseListener>): void {
    this.#listeners.remove(link);
    link.value.giveUp();
  }

  /** Throws once the partition is closed. */
  requireOpen(): void {
    if (!this.isOpen) throw this.closedFault();
  }

  closedFault(): Fault {
    return partitionClosed(this.#options.partition, this.#reason ?? "closed");
  }

  /** #1: tells whether work may begin now. */
  get isConfirmed(): boolean {
    return this.isOpen && this.#options.heartbeatAgeMs() < this.#options.heartbeatAgeMaxMs;
  }

  /** The work that has failed three times or more and is not done yet; null where there is none. */
  get trouble(): string | null {
    const [what] = this.#troubles;
    return what ?? null;
  }

  /** #1: resolves when work may begin. */
  async waitUntilConfirmed(): Promise<void> {
    this.requireOpen();
    while (!this.isConfirmed) {
      await sleep(this.#options.time, staleWaitMs, this.signal);
      this.requireOpen();
    }
  }

  /** Calls `giveUp` at once when the partition closes, unless the returned link was forgotten before. */
  onClose(waiting: CloseListener): ListLink<CloseListener> {
    return this.#listeners.add(waiting);
  }

  forget(link: ListLink<CloseListener>): void {
    this.#listeners.remove(link);
  }

  /** #2: settles as `work` does, or rejects at once when the partition closes. */
  whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#whileOpen(work, { resolve, reject }));
  }

  /** #3 */
  retryUntilDone<T>(what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.startRetryUntilDone(what, work, { resolve, reject }));
  }

  /**
   * `retryUntilDone` with a callback, without a promise of its own: every message ends with one. `work` gets what the
   * try before failed with, or null at the first.
   */
  startRetryUntilDone<T>(what: string, work: RepeatedWork<T>, completion: Completion<T>): void {
    if (!this.isConfirmed) return this.#forward(completion, this.#tryAgain(what, work, 1, null));
    return this.#whileOpen(work(null), {
      resolve: (value) => completion.resolve(value),
      reject: (error) => this.#forward(completion, this.#tryAfter(error, what, work)),
    });
  }

  #whileOpen<T>(work: Promise<T>, completion: Completion<T>): void {
    this.#forward(new RunningWork(this, completion), work);
  }

  #forward<T>(completion: Completion<T>, work: Promise<T>): void {
    work.then(
      (value) => completion.resolve(value),
      (error: unknown) => completion.reject(error),
    );
  }

  async #tryAfter<T>(error: unknown, what: string, work: RepeatedWork<T>): Promise<T> {
    await this.#awaitRetry(what, error, 1);
    return await this.#tryAgain(what, work, 2, error);
  }

  async #tryAgain<T>(what: string, work: RepeatedWork<T>, from: number, failedWith: unknown): Promise<T> {
    let before = failedWith;
    for (let tries = from; ; tries += 1) {
      await this.waitUntilConfirmed();
      try {
        const done = await this.whileOpen(work(before));
        this.#troubles.delete(describeTrouble(what));
        return done;
      } catch (error) {
        before = error;
        await this.#awaitRetry(what, error, tries);
      }
    }
  }

  /** Resolves when the next try is due; rejects once the partition is closed. */
  async #awaitRetry(what: string, error: unknown, tries: number): Promise<void> {
    this.requireOpen();
    const { time, random, logger, partition } = this.#options;
    if (tries >= troubleTries) this.#troubles.add(describeTrouble(what));
    logger.warn("delivery.retry", { what, partition, tries, reason: formatReason(error) });
    const boundMs = Math.min(retryWaitMaxMs, retryWaitMinMs * 2 ** Math.min(tries, 10));
    await sleep(time, retryWaitMinMs + random.fraction() * (boundMs - retryWaitMinMs), this.signal);
  }
}

/** Work under way, whose outcome counts only while the partition is open. */
class RunningWork<Done> implements CloseListener, Completion<Done> {
  readonly #lease: DeliveryLease;
  readonly #completion: Completion<Done>;
  /** Null once it is settled. */
  #link: ListLink<CloseListener> | null = null;

  constructor(lease: DeliveryLease, completion: Completion<Done>) {
    this.#lease = lease;
    this.#completion = completion;
    this.#link = lease.onClose(this);
    if (!lease.isOpen) this.giveUp();
  }

  resolve(value: Done): void {
    if (!this.#settle()) return;
    this.#completion.resolve(value);
  }

  reject(error: unknown): void {
    if (!this.#settle()) return;
    this.#completion.reject(error);
  }

  giveUp(): void {
    this.reject(this.#lease.closedFault());
  }

  /** False where it was settled already. */
  #settle(): boolean {
    if (this.#link === null) return false;
    this.#lease.forget(this.#link);
    this.#link = null;
    return true;
  }
}

function describeTrouble(what: string): string {
  return `${what} is tried again`;
}

/** The fault is retryable: the next owner of the partition does the work. */
export function partitionClosed(partition: number, reason: string): Fault {
  return new Fault("delivery.partition-closed", `partition ${partition}: ${reason}`, { isRetryable: true });
}

export function isPartitionClosed(error: unknown): boolean {
  return error instanceof Fault && error.code === "delivery.partition-closed";
}
