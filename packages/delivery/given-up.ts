// What is not tried any more, though its record may come once more: because the lane was lost before its position had passed the record, or
// because a replay of the scheduler appended the record again.
//
// #1 A message that was refused, or stopped while it could still be tried, is known by its id; a further record of it is done as it is read.
//    Else one that a transaction has ended over could still be taken by its receiver.
// #2 A stopped message stays in the store, marked, until the lane's position has passed its stop and `stoppedKeptMs` have gone by: so the next owner
//    knows of it too. Of a day that is over nothing is tried, so nothing is kept of what its close stops.
// #3 At most `givenUpMax` ids, and at most `stoppedMax` stopped messages in the store; the oldest go first.

import type { DeliverySubject } from "./delivery.ts";

export const stoppedKeptMs = 15 * 60_000;
export const givenUpMax = 10_000;
export const stoppedMax = 1_000;

export interface Stopped extends Pick<DeliverySubject, "id" | "bank"> {
  /** Of its stop, or beyond it. */
  readonly sequence: bigint;
  /** Agreed time. */
  readonly atMs: number;
}

export class GivenUp {
  readonly #ids = new Set<string>();
  /** In the order of their stops. */
  readonly #stopped = new Map<string, Stopped>();

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= givenUpMax) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  /** It is tried again: an operator has it redriven. */
  remove(id: string): void {
    this.#ids.delete(id);
  }

  stopped(message: Stopped): void {
    this.add(message.id);
    this.#stopped.delete(message.id);
    this.#stopped.set(message.id, message);
  }

  get keepsStopped(): boolean {
    return this.#stopped.size > 0;
  }

  /** Stopped messages that need not stay in the store any more. They are not named again. */
  takeOld(position: bigint, nowMs: number): readonly Stopped[] {
    const old: Stopped[] = [];
    for (const [id, message] of this.#stopped) {
      const isOld = this.#stopped.size > stoppedMax || nowMs - message.atMs >= stoppedKeptMs;
      if (!isOld || message.sequence >= position) break;
      this.#stopped.delete(id);
      old.push(message);
    }
    return old;
  }
}
