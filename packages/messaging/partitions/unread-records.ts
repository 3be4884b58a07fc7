// Queues the records that a partition has received and not yet decoded, in order.

import type { ReceivedRecord } from "../port.ts";

export class UnreadRecords {
  readonly #answers: (readonly ReceivedRecord[])[] = [];
  /** Records already taken from the first fetch answer. */
  #taken = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push(records: readonly ReceivedRecord[]): void {
    if (records.length === 0) return;
    this.#answers.push(records);
    this.#count += records.length;
  }

  take(): ReceivedRecord | undefined {
    const record = this.#answers[0]?.[this.#taken];
    if (record === undefined) return undefined;
    this.#count -= 1;
    this.#taken += 1;
    if (this.#taken === this.#answers[0]?.length) {
      this.#answers.shift();
      this.#taken = 0;
    }
    return record;
  }
}
