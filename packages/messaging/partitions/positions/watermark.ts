// The watermark of a partition: the first received record that is not complete.
//
// #1 It advances over received records, not over offsets, because compaction and control records leave holes.
// #2 It never passes an incomplete record, whatever completed after it. (parallel-consumer issue 826.)
// #3 Records behind it are released. Records completed ahead of it still count, so that one slow key has a bound.

/**
 * The offset of a received record. The record itself is released when it completes, however long an earlier one takes.
 */
export interface TrackedRecord {
  readonly offset: bigint;
  /** Set by `complete`. */
  isDone: boolean;
}

/** Number of records behind the watermark at which they are released together, once they are half of all. */
const compactAt = 128;

export class Watermark<Place extends TrackedRecord> {
  #places: Place[] = [];
  #head = 0;
  /** The watermark while every received record is complete. */
  #nextOffset: bigint;

  constructor(startAt: bigint) {
    this.#nextOffset = startAt;
  }

  /** Number of records from the watermark on, including complete ones. */
  get count(): number {
    return this.#places.length - this.#head;
  }

  /** First offset that is not done. */
  get nextOffset(): bigint {
    return this.#places[this.#head]?.offset ?? this.#nextOffset;
  }

  /** The record that is not done and that holds the watermark back; null where all are done. */
  get first(): Place | null {
    return this.#places[this.#head] ?? null;
  }

  add(place: Place): void {
    this.#places.push(place);
  }

  complete(place: Place): void {
    place.isDone = true;
    let head = this.#places[this.#head];
    while (head?.isDone === true) {
      this.#head += 1;
      const next = this.#places[this.#head];
      if (next === undefined) this.#nextOffset = head.offset + 1n;
      head = next;
    }
    if (this.#head < compactAt || this.#head * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#head);
    this.#head = 0;
  }
}
