// What a lane has received and not yet let go, and its watermark: the first received record that is not completed.
//
// #1 The watermark walks over the records received, not over offsets: compaction and control records leave holes.
// #2 It never goes beyond a record that is not completed, whatever completed after it. (parallel-consumer issue 826.)
// #3 Records behind the watermark are let go; those completed ahead of it are counted, so that one slow key has a bound.

/** Of a record: itself is let go as soon as it is completed, however long one before it takes. */
export interface ReceivedPlace {
  readonly offset: bigint;
  /** From `complete` on. */
  isDone: boolean;
}

/** Records behind the watermark are let go so many at once. */
const compactAt = 128;

export class ReceivedRecords {
  #places: ReceivedPlace[] = [];
  #head = 0;
  /** Where all that was received is done. */
  #nextOffset: bigint;

  constructor(startAt: bigint) {
    this.#nextOffset = startAt;
  }

  /** Records from the watermark on, completed ones included. */
  get count(): number {
    return this.#places.length - this.#head;
  }

  /** First offset not done. */
  get nextOffset(): bigint {
    return this.#places[this.#head]?.offset ?? this.#nextOffset;
  }

  add(place: ReceivedPlace): void {
    this.#places.push(place);
  }

  complete(place: ReceivedPlace): void {
    place.isDone = true;
    let head = this.#places[this.#head];
    while (head?.isDone === true) {
      this.#head += 1;
      const next = this.#places[this.#head];
      if (next === undefined) this.#nextOffset = head.offset + 1n;
      head = next;
    }
    if (this.#head < compactAt) return;
    this.#places = this.#places.slice(this.#head);
    this.#head = 0;
  }
}
