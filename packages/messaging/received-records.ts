// What a lane has received and not yet let go, and its watermark: the first received record that is not completed.
//
// #1 The watermark walks over the records received, not over offsets: compaction and control records leave holes.
// #2 It never goes beyond a record that is not completed, whatever completed after it. (parallel-consumer issue 826.)
// #3 Records behind the watermark are let go; those completed ahead of it are counted, so that one slow key has a bound.

import type { ReceivedRecord } from "./port.ts";

export interface ReceivedEntry {
  readonly record: ReceivedRecord;
  /** From `complete` on. */
  isDone: boolean;
}

/** Records behind the watermark are let go so many at once. */
const compactAt = 128;

export class ReceivedRecords {
  #entries: ReceivedEntry[] = [];
  #head = 0;
  #nextOffset: bigint;

  constructor(startAt: bigint) {
    this.#nextOffset = startAt;
  }

  /** Records from the watermark on, completed ones included. */
  get count(): number {
    return this.#entries.length - this.#head;
  }

  /** First offset not done. */
  get nextOffset(): bigint {
    return this.#nextOffset;
  }

  add(entry: ReceivedEntry): void {
    if (this.count === 0) this.#nextOffset = entry.record.offset;
    this.#entries.push(entry);
  }

  complete(entry: ReceivedEntry): void {
    entry.isDone = true;
    let head = this.#entries[this.#head];
    while (head?.isDone === true) {
      this.#nextOffset = head.record.offset + 1n;
      this.#head += 1;
      head = this.#entries[this.#head];
    }
    if (head !== undefined) this.#nextOffset = head.record.offset;
    if (this.#head < compactAt) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}
