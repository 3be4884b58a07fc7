// Remembers which records of a work have been acknowledged, so that a repeat of the work sends only the others. A
// partition without a leader then repeats nothing in other partitions.
//
// #1 A record counts as sent before if topic, partition, key and value are the same. Each counts once in an attempt.
// #2 It holds the records of one work, until `forget`.

import { PartlyAppendedFault } from "./faults.ts";
import type { AppendResult, OutgoingRecord, Producer } from "./port.ts";

interface Acknowledged {
  readonly record: OutgoingRecord;
  readonly result: AppendResult;
}

/** Sends as a producer does, without what an earlier attempt has sent. */
type AttemptSend = Producer["send"];

export class ResendMemory {
  readonly #producer: Pick<Producer, "send">;
  readonly #acknowledged: Acknowledged[] = [];

  constructor(producer: Pick<Producer, "send">) {
    this.#producer = producer;
  }

  /** Begins an attempt. It may send more than once. */
  attempt(): AttemptSend {
    const before = [...this.#acknowledged];
    return async (records) => await this.#send(records, before);
  }

  /** The work is done, or is given up. */
  forget(): void {
    this.#acknowledged.length = 0;
  }

  async #send(records: readonly OutgoingRecord[], before: Acknowledged[]): Promise<readonly AppendResult[]> {
    if (before.length === 0) return await this.#sendLeft(records);
    const results = records.map((record) => takeSame(before, record));
    const left = records.filter((_, index) => results[index] === null);
    if (left.length === 0) return results.filter((result) => result !== null);
    const answers = (await this.#sendLeft(left)).values();
    return results.map((result) => result ?? answers.next().value!);
  }

  async #sendLeft(left: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    try {
      const sent = await this.#producer.send(left);
      this.#keep(left, sent);
      return sent;
    } catch (error) {
      if (error instanceof PartlyAppendedFault) this.#keep(left, error.appended);
      throw error;
    }
  }

  #keep(records: readonly OutgoingRecord[], results: readonly (AppendResult | null)[]): void {
    for (const [index, record] of records.entries()) {
      const result = results[index] ?? null;
      if (result !== null) this.#acknowledged.push({ record, result });
    }
  }
}

/** #1 */
function takeSame(before: Acknowledged[], record: OutgoingRecord): AppendResult | null {
  const at = before.findIndex((one) => isSame(one.record, record));
  return at < 0 ? null : (before.splice(at, 1)[0]?.result ?? null);
}

function isSame(one: OutgoingRecord, other: OutgoingRecord): boolean {
  return one.topic === other.topic && one.partition === other.partition && isEqual(one.key, other.key) && isEqual(one.value, other.value);
}

function isEqual(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}
