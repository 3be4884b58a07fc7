// What only analysts read of a partition: entries into states, snapshots, items and days. Nothing waits for it, so it
// is sent with the next position, many records in one batch.
//
// #1 All of it is acknowledged before the position passes the records that it came from. A replay makes it again.
// #2 Of one transaction's snapshots only the newest is sent.
// #3 It is sent in the order in which it came. What is not acknowledged is sent again before anything newer.
// #4 It outlives a lease, because this process does not handle the records again. Another owner may have sent newer
//    snapshots meanwhile: so what is left of an earlier lease is not reported to the keeper of snapshots, which
//    compares it then with the store.
// #5 Beyond `recordsMax` the partition sends before it goes on.

import { type AppendResult, type OutgoingRecord, PartlyAppendedFault, type Producer } from "@sluice/messaging";
import type { HandlerContext } from "../../handlers/handler.ts";
import { type Snapshot, toSnapshotRecord } from "./snapshot-record.ts";

export interface WaitingRecordsOptions extends Pick<HandlerContext, "serde" | "partitionCount"> {
  readonly producer: Pick<Producer, "send">;
  /** #5 */
  readonly recordsMax: number;
  /** Learns where the records of the present lease are. */
  onAppended(appended: readonly AppendResult[]): void;
}

interface WaitingRecord {
  readonly record: OutgoingRecord;
  /** #4 */
  isOfLease: boolean;
}

/** Of one partition. */
export const analystRecordsMax = 500;
const sendRecordsMax = 5_000;

export class WaitingRecords {
  readonly #options: WaitingRecordsOptions;
  #waiting: readonly WaitingRecord[] = [];
  /** By UETR; made into records when they are sent. */
  readonly #snapshots = new Map<string, Snapshot>();
  #sending: Promise<void> = Promise.resolve();

  constructor(options: WaitingRecordsOptions) {
    this.#options = options;
  }

  /** #5 */
  get isFull(): boolean {
    return this.#waiting.length + this.#snapshots.size > this.#options.recordsMax;
  }

  add(records: readonly OutgoingRecord[], snapshots: readonly Snapshot[]): void {
    this.#waiting = [...this.#waiting, ...records.map((record) => ({ record, isOfLease: true }))];
    for (const snapshot of snapshots) this.#snapshots.set(snapshot.uetr, snapshot);
  }

  /** #4 */
  beginLease(): void {
    this.#takeSnapshots();
    for (const one of this.#waiting) one.isOfLease = false;
  }

  /** Resolves once all that was added before is acknowledged; rejects as the producer does. */
  send(): Promise<void> {
    const sent = this.#sending.then(() => this.#sendWaiting());
    this.#sending = sent.catch(() => {});
    return sent;
  }

  #takeSnapshots(): void {
    const records = [...this.#snapshots.values()].map((snapshot) => toSnapshotRecord(snapshot, this.#options));
    this.#waiting = [...this.#waiting, ...records.map((record) => ({ record, isOfLease: true }))];
    this.#snapshots.clear();
  }

  async #sendWaiting(): Promise<void> {
    this.#takeSnapshots();
    for (let left = this.#waiting.length; left > 0; left -= sendRecordsMax) {
      await this.#sendPart(this.#waiting.slice(0, Math.min(left, sendRecordsMax)));
    }
  }

  async #sendPart(part: readonly WaitingRecord[]): Promise<void> {
    try {
      const appended = await this.#options.producer.send(part.map(({ record }) => record));
      this.#acknowledge(part, appended, new Set(part));
    } catch (error) {
      if (error instanceof PartlyAppendedFault) {
        const { appended } = error;
        this.#acknowledge(part, appended, new Set(part.filter((_, index) => (appended[index] ?? null) !== null)));
      }
      throw error;
    }
  }

  #acknowledge(part: readonly WaitingRecord[], answers: readonly (AppendResult | null)[], done: ReadonlySet<WaitingRecord>): void {
    this.#waiting = this.#waiting.filter((one) => !done.has(one));
    this.#options.onAppended(part.flatMap(({ isOfLease }, index) => (isOfLease ? (answers[index] ?? []) : [])));
  }
}
