// Folds a partition from its records: by the scheduler's own handlers, in the partition's own batches, with nothing
// sent. Transactions go to the given build; days, banks, markers and ledgers are kept here.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { type BankState, type Day, type DayKey, DayLedger, movementsAt } from "@sluice/domain";
import { type DoneSkips, type ReceivedRecord, skipByOperator } from "@sluice/messaging";
import { createRecordJudge } from "@sluice/signatures";
import { Fault, sleep, type Time } from "@sluice/kernel";
import type { TransactionDocument, TransactionStore, WrittenDocument } from "@sluice/store";
import type { JournalHandlers, HandledRecord } from "../handlers/handler.ts";
import { type BatchRecord, runBatch } from "../partition/batch.ts";
import { type AppliedMarkers, createAppliedMarkers } from "../partition/applied-markers.ts";
import { readJournal } from "../partition/read-journal.ts";
import { createSnapshotCaches } from "../partition/snapshot-cache.ts";
import { createStoreWitness, mapVersions } from "../partition/stored/store-witness.ts";

export interface PartitionFoldPorts {
  readonly partition: number;
  readonly partitionCount: number;
  /** The version of the rules that the handlers decide by. */
  readonly rulesVersion: number;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly handlers: JournalHandlers;
  readonly service: string;
  readonly time: Time;
  /** What operators skipped in this partition: it is skipped here too, whether or not it can be read today. */
  readonly skips: DoneSkips;
  /** Ends the fold: no more records are read, and nothing is tried again. Left out: nothing ends it. */
  readonly ending?: AbortSignal;
}

export type FoldTarget = Pick<TransactionStore, "load" | "versions" | "write">;

interface FoldState {
  readonly nextOffset: bigint;
  readonly days: ReadonlyMap<DayKey, Day>;
  readonly banks: ReadonlyMap<string, BankState>;
  readonly ledgers: ReadonlyMap<DayKey, DayLedger>;
  readonly markers: AppliedMarkers | null;
}

const emptyFold: FoldState = { nextOffset: 0n, days: new Map(), banks: new Map(), ledgers: new Map(), markers: null };
const triesMax = 20;
const pauseMs = 500;
const batchRecordsMax = 500;

export class PartitionFold {
  readonly #ports: PartitionFoldPorts;
  readonly #target: FoldTarget;
  readonly #cache = createSnapshotCaches()();
  readonly #witness = createStoreWitness(async (kind, ids) => await this.#readVersions(kind, ids));
  readonly #operatorJudge = { judge: createRecordJudge(() => this.#ports.configuration.operatorSignatures) };
  readonly days: Map<DayKey, Day>;
  readonly banks: Map<string, BankState>;
  readonly ledgers: Map<DayKey, DayLedger>;
  readonly markers: AppliedMarkers;
  nextOffset: bigint;
  /** Number of documents created. */
  documents = 0;
  /** UETRs folded since the set was emptied last. */
  readonly touched = new Set<string>();

  constructor(ports: PartitionFoldPorts, target: FoldTarget, from: FoldState = emptyFold) {
    this.#ports = ports;
    this.#target = target;
    this.nextOffset = from.nextOffset;
    this.days = new Map(from.days);
    this.banks = new Map(from.banks);
    this.ledgers = new Map([...from.ledgers].map(([day, ledger]) => [day, new DayLedger(ledger.rows())]));
    this.markers = createAppliedMarkers(ports.partition, from.markers?.history());
  }

  /** Copies the fold; the copy continues on documents of its own and changes nothing outside. */
  copyOnto(target: FoldTarget): PartitionFold {
    return new PartitionFold(this.#ports, target, this);
  }

  /** Rejects if the store no longer has what was folded last: it was restored to an older point. */
  async requireStored(): Promise<void> {
    if (await this.#witness.isMissing()) throw storeGoneBack();
  }

  /** Days and banks of a fold are in memory. */
  async #readVersions(kind: WrittenDocument["kind"], ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (kind === "transaction") return mapVersions(await this.#target.versions(ids));
    return mapVersions(kind === "day" ? this.days : this.banks);
  }

  /** Records in offset order, from `nextOffset` on. */
  async fold(records: readonly ReceivedRecord[]): Promise<void> {
    const { serde, handlers, partitionCount, skips, ending } = this.#ports;
    const reader = { serde, handlers, partitionCount, operatorJudge: this.#operatorJudge };
    const fresh: BatchRecord[] = [];
    for (const record of records) {
      ending?.throwIfAborted();
      const skip = record.skip ?? skips.find(record.offset);
      const read = skip === null ? await readJournal(record, reader) : { record, ...skipByOperator(skip) };
      const handler = "handler" in read ? read.handler : null;
      if (handler?.beginsBatch === true || fresh.length >= batchRecordsMax) await this.#run(fresh.splice(0));
      fresh.push(read);
      if (handler?.aggregate === "partition") await this.#run(fresh.splice(0));
    }
    await this.#run(fresh);
  }

  async #run(records: readonly BatchRecord[]): Promise<void> {
    const newest = records.at(-1)?.record;
    if (newest === undefined) return;
    for (const one of await this.#handle(records)) this.#count(one);
    this.nextOffset = newest.offset + 1n;
  }

  async #handle(records: readonly BatchRecord[]): Promise<readonly HandledRecord[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await runBatch(records, this.#batchPorts())).handled;
      } catch (error) {
        if (!(error instanceof Fault) || !error.isRetryable || tries >= triesMax) throw error;
        await sleep(this.#ports.time, pauseMs, this.#ports.ending);
        this.#ports.ending?.throwIfAborted();
      }
    }
  }

  #batchPorts() {
    const { partitionCount, rulesVersion, serde, configuration, service } = this.#ports;
    return {
      partitionCount,
      rulesVersion,
      serde,
      configuration,
      service,
      markers: this.markers,
      transactions: this.#target,
      days: createMapStore(this.days, (day) => day.key),
      banks: createMapStore(this.banks, (state) => state.bank),
      producer: { send: () => Promise.resolve([]), close: () => Promise.resolve() },
      brokerClock: { observe: () => {}, nowMs: () => null },
      cache: this.#cache,
      witness: this.#witness,
      analysts: { add: () => {} },
      onLostWrite: () => Promise.reject(new Fault("rebuild.contended", "another builder writes into this build", { isRetryable: false })),
      requireLease: () => Promise.resolve(),
      onStoreGoneBack: (): never => {
        throw storeGoneBack();
      },
    };
  }

  #count({ transaction, record, marker, bankMarker }: HandledRecord): void {
    if (marker !== null) this.markers.apply(marker.marker, marker.position);
    if (bankMarker !== null) this.markers.applyBankMarker(bankMarker.marker, bankMarker.position);
    if (transaction === null) return;
    if (transaction.version === 1 && transaction.applied === record.offset) this.documents += 1;
    this.touched.add(transaction.uetr);
    for (const movement of movementsAt(transaction, record.offset)) {
      const ledger = this.ledgers.get(movement.day) ?? new DayLedger();
      ledger.add(movement);
      this.ledgers.set(movement.day, ledger);
    }
  }
}

/** Puts the documents that a fold writes into the map, and reads those that it lacks from below. */
export function foldInMemory(documents: Map<string, TransactionDocument>, below: Pick<FoldTarget, "load">): FoldTarget {
  async function load(uetrs: readonly string[]): Promise<ReadonlyMap<string, TransactionDocument>> {
    const loaded = await below.load(uetrs.filter((uetr) => !documents.has(uetr)));
    return new Map(uetrs.flatMap((uetr) => one(uetr, documents.get(uetr) ?? loaded.get(uetr))));
  }
  return {
    load,
    async versions(uetrs) {
      return new Map(
        [...(await load(uetrs))].map(
          ([
            uetr,
            {
              transaction: { partition, version },
            },
          ]) => [uetr, { partition, version }],
        ),
      );
    },
    write(writes) {
      for (const { document } of writes) documents.set(document.transaction.uetr, document);
      return Promise.resolve({ conflicts: [] });
    },
  };
}

function one(uetr: string, document: TransactionDocument | undefined): readonly (readonly [string, TransactionDocument])[] {
  return document === undefined ? [] : [[uetr, document]];
}

/** Presents a map as a store with compare-and-set. */
function createMapStore<T extends { readonly version: number }>(map: Map<string, T>, readKey: (one: T) => string) {
  return {
    load: (keys: readonly string[]) =>
      Promise.resolve(new Map(keys.flatMap((key) => (map.has(key) ? [[key, map.get(key)!] as const] : [])))),
    write: (one: T, expectedVersion: number) => {
      if ((map.get(readKey(one))?.version ?? 0) !== expectedVersion) return Promise.resolve(false);
      map.set(readKey(one), one);
      return Promise.resolve(true);
    },
  };
}

function storeGoneBack(): Fault {
  return new Fault("rebuild.store-gone-back", "the store lost documents of this build", { isRetryable: false });
}
