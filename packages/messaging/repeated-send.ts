// Sends the same records until all are acknowledged. A repeat sends only those that are not, so that a partition
// without a leader repeats nothing in other partitions. The first send, usually the only one, costs nothing more than
// the producer's own.

import { PartlyAppendedFault } from "./faults.ts";
import type { AppendResult, OutgoingRecord, Producer } from "./port.ts";

export class RepeatedSend {
  readonly #producer: Pick<Producer, "send">;
  readonly #records: readonly OutgoingRecord[];
  /** By record; null: not acknowledged. The whole is null as long as none is. */
  #appended: readonly (AppendResult | null)[] | null = null;

  constructor(producer: Pick<Producer, "send">, records: readonly OutgoingRecord[]) {
    this.#producer = producer;
    this.#records = records;
  }

  /** `failedWith`: what the send before failed with; null at the first. It rejects as the producer does. */
  send(failedWith: unknown): Promise<readonly AppendResult[]> {
    if (failedWith instanceof PartlyAppendedFault) this.#keep(failedWith.appended);
    return this.#appended === null ? this.#producer.send(this.#records) : this.#sendLeft(this.#appended);
  }

  /** `answers`: of the records that were left. */
  #keep(answers: readonly (AppendResult | null)[]): void {
    const left = answers.values();
    const before: readonly (AppendResult | null)[] = this.#appended ?? this.#records.map(() => null);
    this.#appended = before.map((one) => one ?? left.next().value ?? null);
  }

  async #sendLeft(before: readonly (AppendResult | null)[]): Promise<readonly AppendResult[]> {
    const answers = (await this.#producer.send(this.#records.filter((_, index) => before[index] === null))).values();
    return before.map((one) => one ?? answers.next().value!);
  }
}
