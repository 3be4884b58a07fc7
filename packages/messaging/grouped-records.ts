// The records of one topic in a batch, as kafkajs gets them (trouble P). It groups messages by partition with `reduce`, and copies the group for each
// message of it: a tenth of the garbage of a delivery. Here `reduce` is the grouping itself, in one go.

import type { OutgoingRecord } from "./port.ts";

type ByPartition = Record<number, OutgoingRecord[]>;

export class GroupedRecords extends Array<OutgoingRecord> {
  /** What is made of them is a plain array. */
  static override get [Symbol.species]() {
    return Array;
  }

  /** kafkajs's reducer is not called: each record says its partition. */
  override reduce(): never;
  override reduce(): ByPartition {
    const grouped: ByPartition = {};
    for (const record of this) (grouped[record.partition] ??= []).push(record);
    return grouped;
  }
}
