// Whose lane it is, as far as this process can know.
//
// #1 An attempt or a write is begun only while the lane is open and the group's coordinator answered within half the session
//    time-out: a process that was frozen, or is cut off, does nothing with a lane that may have gone on elsewhere.
// #2 What is under way in a lane that closes is abandoned: its outcome reaches nothing.
// #3 A write of the store or the log is tried until it is acknowledged, as long as the lane is open. Between two tries lie
//    0.1 s to 5 s, and each needs #1.

import { Fault, sleep } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { LinkedList, type Link } from "./linked-list.ts";

const staleWaitMs = 100;
const retryWaitMinMs = 100;
const retryWaitMaxMs = 5_000;
const troubleTries = 3;

export interface OwnershipOptions {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly partition: number;
  readonly heartbeatAgeMaxMs: number;
  heartbeatAgeMs(): number;
}

/** What a lane that closes puts an end to. */
export interface UntilClosed {
  giveUp(): void;
}

/** Who waits for what is done: told once, of one of both. Neither may throw. */
export interface Doer<Done> {
  succeeded(value: Done): void;
  failed(error: unknown): void;
}

export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #over = new AbortController();
  /** Who is told when the lane closes: one or two for each message, for whom the signal's own listeners cost too much. */
  readonly #waiting = new LinkedList<UntilClosed>();
  readonly #troubles = new Set<string>();
  #reason: string | null = null;
  #isOpen = true;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** Aborts when the lane closes. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(reason: string): void {
    this.#reason ??= reason;
    this.#isOpen = false;
    this.#over.abort();
    for (let link = this.#waiting.first; link !== null; link = this.#waiting.first) this.#giveUp(link);
  }

  #giveUp(link: Link<UntilClosed>): void {
    this.#waiting.remove(link);
    link.value.giveUp();
  }

  /** Rejects once the lane is closed. */
  requireOpen(): void {
    if (!this.isOpen) throw this.closedFault();
  }

  closedFault(): Fault {
    return laneClosed(this.#options.partition, this.#reason ?? "closed");
  }

  /** #1: whether something may be begun now. */
  get isKnown(): boolean {
    return this.isOpen && this.#options.heartbeatAgeMs() < this.#options.heartbeatAgeMaxMs;
  }

  /** What has been tried three times and more and is not done yet; null where all goes well. */
  get trouble(): string | null {
    const [what] = this.#troubles;
    return what ?? null;
  }

  /** #1: resolves when something may be begun. */
  async mayAct(): Promise<void> {
    this.requireOpen();
    while (!this.isKnown) {
      await sleep(this.#options.time, staleWaitMs, this.signal);
      this.requireOpen();
    }
  }

  /** It is told at once when the lane closes, unless forgotten before: by the link answered. */
  onClose(waiting: UntilClosed): Link<UntilClosed> {
    return this.#waiting.add(waiting);
  }

  forget(link: Link<UntilClosed>): void {
    this.#waiting.remove(link);
  }

  /** #2: settles as `work` does, or rejects at once when the lane closes. */
  whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise((succeeded, failed) => this.#whileOpen(work, { succeeded, failed }));
  }

  /** #3 */
  untilDone<T>(what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((succeeded, failed) => this.beginUntilDone(what, work, { succeeded, failed }));
  }

  /** `untilDone` without a promise of its own: each message has one such work at its end. */
  beginUntilDone<T>(what: string, work: () => Promise<T>, doer: Doer<T>): void {
    if (!this.isKnown) return this.#tell(doer, this.#tryAgain(what, work, 1));
    return this.#whileOpen(work(), {
      succeeded: (value) => doer.succeeded(value),
      failed: (error) => this.#tell(doer, this.#tryAfter(error, what, work)),
    });
  }

  #whileOpen<T>(work: Promise<T>, doer: Doer<T>): void {
    this.#tell(new Doing(this, doer), work);
  }

  #tell<T>(doer: Doer<T>, work: Promise<T>): void {
    work.then(
      (value) => doer.succeeded(value),
      (error: unknown) => doer.failed(error),
    );
  }

  async #tryAfter<T>(error: unknown, what: string, work: () => Promise<T>): Promise<T> {
    await this.#failed(what, error, 1);
    return await this.#tryAgain(what, work, 2);
  }

  async #tryAgain<T>(what: string, work: () => Promise<T>, from: number): Promise<T> {
    for (let tries = from; ; tries += 1) {
      await this.mayAct();
      try {
        const done = await this.whileOpen(work());
        this.#troubles.delete(troubleOf(what));
        return done;
      } catch (error) {
        await this.#failed(what, error, tries);
      }
    }
  }

  /** Resolves when it is to be tried again; rejects once the lane is closed. */
  async #failed(what: string, error: unknown, tries: number): Promise<void> {
    this.requireOpen();
    const { time, random, log, partition } = this.#options;
    if (tries >= troubleTries) this.#troubles.add(troubleOf(what));
    log.warn("delivery.retry", { what, partition, tries, reason: error instanceof Error ? error.message : String(error) });
    const boundMs = Math.min(retryWaitMaxMs, retryWaitMinMs * 2 ** Math.min(tries, 10));
    await sleep(time, retryWaitMinMs + random.fraction() * (boundMs - retryWaitMinMs), this.signal);
  }
}

/** Work under way, whose outcome counts while the lane is open. */
class Doing<Done> implements UntilClosed, Doer<Done> {
  readonly #ownership: Ownership;
  readonly #doer: Doer<Done>;
  /** Null: it is over. */
  #link: Link<UntilClosed> | null = null;

  constructor(ownership: Ownership, doer: Doer<Done>) {
    this.#ownership = ownership;
    this.#doer = doer;
    this.#link = ownership.onClose(this);
    if (!ownership.isOpen) this.giveUp();
  }

  succeeded(value: Done): void {
    if (this.#isOver()) return;
    this.#doer.succeeded(value);
  }

  failed(error: unknown): void {
    if (this.#isOver()) return;
    this.#doer.failed(error);
  }

  giveUp(): void {
    this.failed(this.#ownership.closedFault());
  }

  #isOver(): boolean {
    if (this.#link === null) return true;
    this.#ownership.forget(this.#link);
    this.#link = null;
    return false;
  }
}

function troubleOf(what: string): string {
  return `${what} is tried again`;
}

/** Retryable: whoever owns the lane next does the work. */
export function laneClosed(partition: number, reason: string): Fault {
  return new Fault("delivery.lane-closed", `lane ${partition}: ${reason}`, { isRetryable: true });
}

export function isLaneClosed(error: unknown): boolean {
  return error instanceof Fault && error.code === "delivery.lane-closed";
}
