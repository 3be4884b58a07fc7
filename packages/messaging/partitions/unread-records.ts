// The records that a partition has received for one receiver and not yet decoded, in order.

import type { ReceivedRecord } from "../port.ts";
import type { LinkedItem } from "./linked-items.ts";
import type { ReceiverLoad } from "./shared-limits.ts";
import type { PoolSource } from "./task-pool.ts";
import type { TrackedRecord } from "./positions/watermark.ts";

/** A decoded record with its key: records of one key are handled in order, one at a time. */
export interface KeyedContent<Content> {
  readonly key: string;
  /** The decoded content, which the handler gets together with the record. */
  readonly content: Content;
  /** The receiver of the record, where a header did not name it; null or absent where it is for none. */
  readonly receiver?: string | null;
}

/** A received record in its place. */
export interface UnreadRecord<Content> extends TrackedRecord {
  /** Null once it was taken. */
  record: ReceivedRecord | null;
  /** The record while it is handled, with its key; null before and after. */
  taken: { readonly key: string; readonly record: ReceivedRecord } | null;
  /** When it was received, in milliseconds of the monotonic clock. */
  readonly receivedAtMs: number;
  /** What was read of a record that does not name its receiver; null otherwise. */
  read: KeyedContent<Content> | null;
}

/** Number of taken records at which their places are released together. */
const compactAt = 128;

/** `Retry` is a record that was taken before and comes first. */
export class UnreadRecords<Content, Retry> implements PoolSource, LinkedItem<UnreadRecords<Content, Retry>> {
  readonly load: ReceiverLoad;
  readonly retries: Retry[] = [];
  readonly runningMax: number;
  running = 0;
  counted = 0;
  before: UnreadRecords<Content, Retry> | null = null;
  after: UnreadRecords<Content, Retry> | null = null;
  isLinked = false;
  #records: UnreadRecord<Content>[] = [];
  #taken = 0;

  readonly isFirst: boolean;

  constructor(load: ReceiverLoad, runningMax: number, isFirst: boolean) {
    this.load = load;
    this.runningMax = runningMax;
    this.isFirst = isFirst;
  }

  get hasMore(): boolean {
    return this.retries.length > 0 || this.#taken < this.#records.length;
  }

  /** The offset of the next record that `take` returns; null where there is none. */
  get nextOffset(): bigint | null {
    return this.#records[this.#taken]?.offset ?? null;
  }

  /** True while nothing waits or runs. */
  get isUnused(): boolean {
    return this.running === 0 && !this.hasMore;
  }

  push(record: UnreadRecord<Content>): void {
    this.#records.push(record);
  }

  take(): UnreadRecord<Content> | undefined {
    const record = this.#records[this.#taken];
    if (record === undefined) return undefined;
    this.#taken += 1;
    if (this.#taken === this.#records.length) {
      this.#records.length = 0;
      this.#taken = 0;
    } else if (this.#taken >= compactAt && this.#taken * 2 >= this.#records.length) {
      this.#records = this.#records.slice(this.#taken);
      this.#taken = 0;
    }
    return record;
  }
}
