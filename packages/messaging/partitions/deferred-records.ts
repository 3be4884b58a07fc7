// Records of one partition that nothing waits for: they are sent together, before the partition's next position is
// written.
//
// #1 `send` resolves once all that was added before it is acknowledged; so the position passes nothing that is not.
// #2 They are sent in the order in which they came. What is not acknowledged is sent again before anything newer.

import { PartlyAppendedFault } from "../faults.ts";
import type { AppendResult, OutgoingRecord, Producer } from "../port.ts";

const sendRecordsMax = 5_000;

export class DeferredRecords {
  readonly #producer: Pick<Producer, "send">;
  readonly #onAppended: (records: readonly OutgoingRecord[], places: readonly (AppendResult | null)[]) => void;
  #waiting: OutgoingRecord[] = [];
  #sending: Promise<void> = Promise.resolve();

  /** `onAppended` gets the place of each record of a send; null: not acknowledged. */
  constructor(
    producer: Pick<Producer, "send">,
    onAppended: (records: readonly OutgoingRecord[], places: readonly (AppendResult | null)[]) => void,
  ) {
    this.#producer = producer;
    this.#onAppended = onAppended;
  }

  get count(): number {
    return this.#waiting.length;
  }

  add(record: OutgoingRecord): void {
    this.#waiting.push(record);
  }

  /** #1. Rejects as the producer does. */
  send(): Promise<void> {
    const sent = this.#sending.then(() => this.#sendWaiting());
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #sendWaiting(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; left -= sendRecordsMax) {
      await this.#sendPart(this.#waiting.slice(0, Math.min(left, sendRecordsMax)));
    }
  }

  /** `part` is the beginning of what waits. */
  async #sendPart(part: readonly OutgoingRecord[]): Promise<void> {
    try {
      this.#keep(part, await this.#producer.send(part), []);
    } catch (error) {
      if (error instanceof PartlyAppendedFault) {
        const { appended } = error;
        this.#keep(
          part,
          appended,
          part.filter((_, index) => (appended[index] ?? null) === null),
        );
      }
      throw error;
    }
  }

  #keep(part: readonly OutgoingRecord[], places: readonly (AppendResult | null)[], left: readonly OutgoingRecord[]): void {
    this.#waiting = [...left, ...this.#waiting.slice(part.length)];
    this.#onAppended(part, places);
  }
}
