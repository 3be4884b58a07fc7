// What was tried for the last deliveries that ended, and the newest change applied to each message: so that a stop which comes
// after the end can still say what happened, and an older change is known as such. Bounded; what fell out is not known any more.

import { untried, type Progress } from "./delivery.ts";

/** Of a delivery that nothing is known of: it may have been tried. */
const unknown: Progress = { ...untried, mayHaveBeenTaken: true };

interface Known {
  readonly progress: Progress;
  readonly changeOffset: bigint | null;
}

export class RecentEnds {
  readonly #endsMax: number;
  readonly #byId = new Map<string, Known>();
  /** Their ids, the oldest at `#next` once it is full. */
  readonly #ids: string[] = [];
  #next = 0;

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  progress(id: string): Progress {
    return this.#byId.get(id)?.progress ?? unknown;
  }

  /** Whether a later change than this one was applied. */
  isOlder(id: string, changeOffset: bigint): boolean {
    const applied = this.#byId.get(id)?.changeOffset ?? null;
    return applied !== null && changeOffset < applied;
  }

  ended(id: string, progress: Progress): void {
    this.#keep(id, { progress, changeOffset: this.#byId.get(id)?.changeOffset ?? null });
  }

  changed(id: string, progress: Progress, changeOffset: bigint): void {
    this.#keep(id, { progress, changeOffset });
  }

  #keep(id: string, known: Known): void {
    const isNew = !this.#byId.has(id);
    this.#byId.set(id, known);
    if (!isNew) return;
    const oldest = this.#ids[this.#next];
    if (oldest !== undefined) this.#byId.delete(oldest);
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % this.#endsMax;
  }
}
