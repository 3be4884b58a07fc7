// Keeps the last snapshot of each transaction in `sluice.transactions.v1` the newest one: compaction leaves nothing
// else. A request whose answer was lost, or whose process is gone, may land behind newer ones.
//
// #1 A partition of the topic has one writer, the owner, and it sends in order. What lies between its own records is
//    not its own, or has landed late: such ranges are compared with the store, and every key whose last record is
//    older than the store's document is sent again.
// #2 A take-over looks back over the last records, for what landed under earlier owners. There a record is suspicious
//    only if a record before it goes further in the journal.
// #3 What is sent here is not taken for the owner's own: the next look compares it too. So a snapshot that a batch has
//    overtaken meanwhile is followed by the newer one.
// #4 A reading that ends early is repeated: what it did not reach would stay old for ever.

import { topics } from "@sluice/contracts";
import { type AppendResult, readCompacted, readOrLearn } from "@sluice/messaging";
import type { PartitionContext } from "../partition/context.ts";
import { buildSnapshot, toSnapshotRecord } from "../partition/analysts/snapshot-record.ts";
import { type BackgroundTask, startBackgroundTask } from "./background-task.ts";

export interface SnapshotKeeper extends BackgroundTask {
  /** Learns where the owner's outputs are. */
  onAppended(appended: readonly AppendResult[]): void;
}

type KeeperPorts = Pick<PartitionContext, "messaging" | "producer" | "serde" | "store" | "time" | "logger" | "partitionCount">;

/** Milliseconds between two looks: an older snapshot stays the last one for about this long. */
const lookEveryMs = 10_000;
/** Records of the partition that a take-over looks back over. */
const lookBackRecords = 10_000n;
/** Records that are compared in one piece. */
const pieceRecords = 1_000;
/** Documents that are loaded at once. */
const loadedMax = 100;

interface OffsetRange {
  readonly from: bigint;
  readonly to: bigint;
}

export function startSnapshotKeeper(ports: KeeperPorts, partition: number): SnapshotKeeper {
  const { time, logger } = ports;
  const looker = new SnapshotLooker(ports, partition);
  const task = startBackgroundTask({ name: "snapshot-keeper", partition, time, logger, run: () => looker.look() });
  return { wake: () => task.wake(), stop: () => task.stop(), onAppended: (appended) => looker.onAppended(appended) };
}

class SnapshotLooker {
  readonly #ports: KeeperPorts;
  readonly #place: { readonly topic: string; readonly partition: number };
  /** Offset behind the newest record that is the owner's own or is to be compared; null before the first look. */
  #tail: bigint | null = null;
  /** The range of #2, until it is done. */
  #back: OffsetRange | null = null;
  /** Contains every record that is to be compared (#1). */
  #foreign: OffsetRange | null = null;

  constructor(ports: KeeperPorts, partition: number) {
    this.#ports = ports;
    this.#place = { topic: topics.transactions, partition };
  }

  onAppended(appended: readonly AppendResult[]): void {
    if (this.#tail === null) return;
    const own = appended.filter(({ topic, partition }) => topic === this.#place.topic && partition === this.#place.partition);
    for (const { offset } of own.toSorted((a, b) => (a.offset < b.offset ? -1 : 1))) {
      if (offset < this.#tail) continue;
      if (offset > this.#tail) this.#addForeign(this.#tail, offset);
      this.#tail = offset + 1n;
    }
  }

  #addForeign(from: bigint, to: bigint): void {
    const known = this.#foreign ?? { from, to };
    this.#foreign = { from: from < known.from ? from : known.from, to: to > known.to ? to : known.to };
  }

  async look(): Promise<number> {
    const [ends] = await this.#ports.messaging.ends([this.#place]);
    if (ends === undefined) return lookEveryMs;
    const { logStart, logEnd } = ends;
    if (this.#tail === null) {
      const from = logEnd - lookBackRecords;
      this.#back = { from: from > logStart ? from : logStart, to: logEnd };
      this.#tail = logEnd;
    }
    if (logEnd > this.#tail) {
      this.#addForeign(this.#tail, logEnd);
      this.#tail = logEnd;
    }
    if (this.#back !== null) await this.#compare(this.#back, true);
    this.#back = null;
    await this.#compareForeign(logStart);
    return lookEveryMs;
  }

  async #compareForeign(logStart: bigint): Promise<void> {
    const range = this.#foreign;
    if (range === null) return;
    this.#foreign = null;
    try {
      await this.#compare({ from: range.from > logStart ? range.from : logStart, to: range.to }, false);
    } catch (error) {
      this.#addForeign(range.from, range.to);
      throw error;
    }
  }

  async #compare({ from, to }: OffsetRange, isInOrder: boolean): Promise<void> {
    if (from >= to) return;
    let furthest = -1n;
    let count = 0;
    const versions = new Map<string, bigint>();
    for await (const record of readCompacted(this.#ports.messaging, this.#place, from, to)) {
      const decoded = await readOrLearn(record, this.#ports.serde);
      if (typeof decoded === "string" || decoded.name !== "TransactionSnapshot") continue;
      const snapshot = decoded.value;
      if (!isInOrder || snapshot.journalOffset < furthest) versions.set(snapshot.uetr, snapshot.version);
      // A newer one of the same key is the last one now.
      else versions.delete(snapshot.uetr);
      if (snapshot.journalOffset > furthest) furthest = snapshot.journalOffset;
      count += 1;
      if (count % pieceRecords !== 0 || isInOrder) continue;
      await this.#sendNewer(versions);
      versions.clear();
    }
    await this.#sendNewer(versions);
  }

  /** Sends the store's snapshot of every key whose last record has a lower version. */
  async #sendNewer(versions: ReadonlyMap<string, bigint>): Promise<void> {
    const { store, producer, logger } = this.#ports;
    const uetrs = [...versions.keys()];
    for (let start = 0; start < uetrs.length; start += loadedMax) {
      const documents = await store.transactions.load(uetrs.slice(start, start + loadedMax));
      const newer = [...documents.values()].filter(
        ({ transaction }) => BigInt(transaction.version) > (versions.get(transaction.uetr) ?? BigInt(transaction.version)),
      );
      if (newer.length === 0) continue;
      await producer.send(newer.map((document) => toSnapshotRecord(buildSnapshot(document), this.#ports)));
      logger.info("snapshots.sent-again", { partition: this.#place.partition, count: newer.length });
    }
  }
}
