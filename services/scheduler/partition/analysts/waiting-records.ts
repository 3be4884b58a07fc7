// What only analysts read of a partition: entries into states, snapshots, items and days. Nothing waits for it, so it
// is sent with the next position, many records in one batch (`deferred-records.ts` of messaging).
//
// #1 All of it is acknowledged before the position passes the records that it came from. A replay makes it again.
// #2 Of one transaction's snapshots only the newest is sent.
// #3 It outlives a lease, because this process does not handle the records again. Another owner may have sent newer
//    snapshots meanwhile: so what is left of an earlier lease is not reported to the keeper of snapshots, which
//    compares it then with the store.
// #4 Beyond `recordsMax` the partition sends before it goes on.

import { type AppendResult, DeferredRecords, type OutgoingRecord, type Producer } from "@sluice/messaging";
import type { HandlerContext } from "../../handlers/handler.ts";
import { type Snapshot, toSnapshotRecord } from "./snapshot-record.ts";

export interface WaitingRecordsOptions extends Pick<HandlerContext, "serde" | "partitionCount"> {
  readonly producer: Pick<Producer, "send">;
  /** #4 */
  readonly recordsMax: number;
  /** Learns where the records of the present lease are. */
  onAppended(appended: readonly AppendResult[]): void;
}

/** Of one partition. */
export const analystRecordsMax = 500;

export class WaitingRecords {
  readonly #options: WaitingRecordsOptions;
  readonly #records: DeferredRecords;
  /** By UETR; made into records when they are sent. */
  readonly #snapshots = new Map<string, Snapshot>();
  /** #3: what waits and is of the present lease. */
  readonly #ofLease = new Set<OutgoingRecord>();

  constructor(options: WaitingRecordsOptions) {
    this.#options = options;
    this.#records = new DeferredRecords(options.producer, (records, places) => {
      options.onAppended(records.flatMap((record, index) => this.#takeOfLease(record, places[index] ?? null)));
    });
  }

  /** #4 */
  get isFull(): boolean {
    return this.#records.count + this.#snapshots.size > this.#options.recordsMax;
  }

  add(records: readonly OutgoingRecord[], snapshots: readonly Snapshot[]): void {
    for (const record of records) this.#add(record);
    for (const snapshot of snapshots) this.#snapshots.set(snapshot.uetr, snapshot);
  }

  /** #3 */
  beginLease(): void {
    this.#takeSnapshots();
    this.#ofLease.clear();
  }

  /** Resolves once all that was added before is acknowledged; rejects as the producer does. */
  send(): Promise<void> {
    this.#takeSnapshots();
    return this.#records.send();
  }

  #add(record: OutgoingRecord): void {
    this.#records.add(record);
    this.#ofLease.add(record);
  }

  #takeSnapshots(): void {
    for (const snapshot of this.#snapshots.values()) this.#add(toSnapshotRecord(snapshot, this.#options));
    this.#snapshots.clear();
  }

  #takeOfLease(record: OutgoingRecord, place: AppendResult | null): readonly AppendResult[] {
    return place !== null && this.#ofLease.delete(record) ? [place] : [];
  }
}
