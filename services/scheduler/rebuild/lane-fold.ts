// A lane folded anew from its records: by the scheduler's own handlers, in the lane's own batches, with nothing sent. Transactions go to the
// build given; days, banks, markers and ledgers are kept here.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import { DayLedger, movedAt } from "@sluice/domain";
import type { BankStanding, Day, DayKey } from "@sluice/domain";
import type { ByHand, ReceivedRecord } from "@sluice/messaging";
import { Fault, sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import type { TransactionStore } from "@sluice/store";
import type { Handlers, Turn } from "../handler.ts";
import { runBatch } from "../lane-batch.ts";
import type { BatchRecord } from "../lane-batch.ts";
import { createLaneMarkers } from "../lane-markers.ts";
import type { LaneMarkers } from "../lane-markers.ts";
import { putAsideByHand, readJournal } from "../read-journal.ts";
import { createSnapshotCaches } from "../snapshot-cache.ts";

export interface FoldPorts {
  readonly lane: number;
  readonly lanes: number;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly handlers: Handlers;
  readonly service: string;
  readonly time: Time;
  /** What operators put aside in this lane, by offset: it is put aside here too, whatever can be read of it today. */
  readonly byHand: ReadonlyMap<bigint, ByHand>;
}

export type FoldTarget = Pick<TransactionStore, "load" | "write">;

interface Folded {
  readonly nextOffset: bigint;
  readonly days: ReadonlyMap<DayKey, Day>;
  readonly banks: ReadonlyMap<string, BankStanding>;
  readonly ledgers: ReadonlyMap<DayKey, DayLedger>;
  readonly markers: LaneMarkers | null;
}

const nothing: Folded = { nextOffset: 0n, days: new Map(), banks: new Map(), ledgers: new Map(), markers: null };
const triesMax = 20;
const pauseMs = 500;
const batchRecordsMax = 500;

export class LaneFold {
  readonly #ports: FoldPorts;
  readonly #target: FoldTarget;
  readonly #cache = createSnapshotCaches()();
  readonly days: Map<DayKey, Day>;
  readonly banks: Map<string, BankStanding>;
  readonly ledgers: Map<DayKey, DayLedger>;
  readonly markers: LaneMarkers;
  nextOffset: bigint;
  /** Documents that it made. */
  documents = 0;
  /** UETRs folded since it was emptied last. */
  readonly touched = new Set<string>();

  constructor(ports: FoldPorts, target: FoldTarget, from: Folded = nothing) {
    this.#ports = ports;
    this.#target = target;
    this.nextOffset = from.nextOffset;
    this.days = new Map(from.days);
    this.banks = new Map(from.banks);
    this.ledgers = new Map([...from.ledgers].map(([day, ledger]) => [day, new DayLedger(ledger.rows())]));
    this.markers = createLaneMarkers(ports.lane, from.markers?.all());
  }

  /** The same, going on over documents of its own: what it folds is seen by nobody else. */
  over(target: FoldTarget): LaneFold {
    return new LaneFold(this.#ports, target, this);
  }

  /** Records in offset order, from `nextOffset` on. */
  async take(records: readonly ReceivedRecord[]): Promise<void> {
    const { serde, handlers, lanes, byHand } = this.#ports;
    const fresh: BatchRecord[] = [];
    for (const record of records) {
      const by = byHand.get(record.offset);
      const read = by === undefined ? await readJournal(record, { serde, handlers, lanes }) : putAsideByHand(record, by);
      const handler = "handler" in read ? read.handler : null;
      if (handler?.beginsBatch === true || fresh.length >= batchRecordsMax) await this.#run(fresh.splice(0));
      fresh.push(read);
      if (handler?.aggregate === "lane") await this.#run(fresh.splice(0));
    }
    await this.#run(fresh);
  }

  async #run(records: readonly BatchRecord[]): Promise<void> {
    const newest = records.at(-1)?.record;
    if (newest === undefined) return;
    for (const turn of await this.#judged(records)) this.#count(turn);
    this.nextOffset = newest.offset + 1n;
  }

  async #judged(records: readonly BatchRecord[]): Promise<readonly Turn[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await runBatch(records, this.#batchPorts())).turns;
      } catch (error) {
        if (!(error instanceof Fault) || !error.isRetryable || tries >= triesMax) throw error;
        await sleep(this.#ports.time, pauseMs);
      }
    }
  }

  #batchPorts() {
    const { lanes, serde, configuration, service } = this.#ports;
    return {
      lanes,
      serde,
      configuration,
      service,
      lane: this.markers,
      transactions: this.#target,
      days: kept(this.days, (day) => day.key),
      banks: kept(this.banks, (standing) => standing.bank),
      producer: { send: () => Promise.resolve([]), close: () => Promise.resolve() },
      agreedTime: { saw: () => {}, nowMs: () => null, skewMs: () => null, stop: () => {} },
      cache: this.#cache,
      lostWrite: () => Promise.reject(new Fault("rebuild.contended", "somebody else writes into this build", { isRetryable: false })),
    };
  }

  #count({ transaction, record, marker, bankMarker }: Turn): void {
    if (marker !== null) this.markers.pass(marker.marker, marker.place);
    if (bankMarker !== null) this.markers.passOfBank(bankMarker.marker, bankMarker.place);
    if (transaction === null) return;
    if (transaction.version === 1 && transaction.applied === record.offset) this.documents += 1;
    this.touched.add(transaction.uetr);
    for (const movement of movedAt(transaction, record.offset)) {
      const ledger = this.ledgers.get(movement.day) ?? new DayLedger();
      ledger.add(movement);
      this.ledgers.set(movement.day, ledger);
    }
  }
}

/** A map as a store with compare-and-set. */
function kept<T extends { readonly version: number }>(map: Map<string, T>, keyOf: (one: T) => string) {
  return {
    load: (keys: readonly string[]) =>
      Promise.resolve(new Map(keys.flatMap((key) => (map.has(key) ? [[key, map.get(key)!] as const] : [])))),
    write: (one: T, expectedVersion: number) => {
      if ((map.get(keyOf(one))?.version ?? 0) !== expectedVersion) return Promise.resolve(false);
      map.set(keyOf(one), one);
      return Promise.resolve(true);
    },
  };
}
