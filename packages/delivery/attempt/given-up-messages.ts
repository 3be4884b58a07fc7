// Messages that are not tried any more although their records may be read again: because the partition was lost before
// its position had passed the record, or because a replay of the scheduler appended the record again.
//
// #1 A refused message, or one stopped while it could still be tried, is known by its id; a further record of it is
//    done as it is read. Otherwise its receiver could still take a message that its transaction has ended over.
// #2 A stopped message stays in the store, marked, until the position has passed its stop and `stoppedKeptMs` are over,
//    so that the next owner knows it too. Nothing is tried of a closed day, so what its close stops is not kept.
// #3 At most `givenUpMax` ids are kept, and at most `stoppedMax` stopped messages stay in the store; the oldest go
//    first.

import type { DeliverySubject } from "../rules.ts";

export const stoppedKeptMs = 15 * 60_000;
export const givenUpMax = 10_000;
export const stoppedMax = 1_000;

export interface StoppedMessage extends Pick<DeliverySubject, "id" | "receiverId"> {
  /** The offset of its stop, or a later one. */
  readonly sequence: bigint;
  /** Milliseconds of the broker clock. */
  readonly atMs: number;
}

export class GivenUpMessages {
  readonly #ids = new Set<string>();
  /** In the order of their stops. */
  readonly #stopped = new Map<string, StoppedMessage>();

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

  /** Forgets a message that an operator redrives. */
  remove(id: string): void {
    this.#ids.delete(id);
  }

  addStopped(message: StoppedMessage): void {
    this.add(message.id);
    this.#stopped.delete(message.id);
    this.#stopped.set(message.id, message);
  }

  get hasStopped(): boolean {
    return this.#stopped.size > 0;
  }

  /** Takes the stopped messages that may leave the store now; each is returned once. */
  takeOld(position: bigint, nowMs: number): readonly StoppedMessage[] {
    const old: StoppedMessage[] = [];
    for (const [id, message] of this.#stopped) {
      const isOld = this.#stopped.size > stoppedMax || nowMs - message.atMs >= stoppedKeptMs;
      if (!isOld || message.sequence >= position) break;
      this.#stopped.delete(id);
      old.push(message);
    }
    return old;
  }
}
